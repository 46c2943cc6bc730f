import type { ReactNode } from "react";
import { makePasskey } from "../../access/passkey";
import { api, notices } from "../../app-state";
import type { PasskeyInfo } from "../../generated/api";
import { words } from "../../glossary";
import { type Submit, useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field } from "../../parts/field/Field";
import { ProblemNote } from "../../parts/problem/Problem";
import { deviceName } from "../../words/device-name";
import styles from "./Account.module.css";

export function NewPasskeyDialog({ onAdded, onClose }: { onAdded(): void; onClose(): void }) {
  const form = useSubmit(async (values) => {
    const { ticket, options } = await api.startPasskey();
    const credential = await makePasskey(options);
    const made = await api.addPasskey({ ticket, credential, name: values.text("name") });
    notices.show(`${made.name} was added.`);
    onAdded();
    onClose();
  });
  const { add, intro } = words.account.passkeys;
  return (
    <NameDialog title={add} form={form} name={deviceName(navigator.userAgent)} verb={add} onClose={onClose}>
      <p>{intro} Your browser will ask where to keep it.</p>
    </NameDialog>
  );
}

interface RenamePasskeyDialogProps {
  passkey: PasskeyInfo;
  onRenamed(): void;
  onClose(): void;
}

export function RenamePasskeyDialog({ passkey, onRenamed, onClose }: RenamePasskeyDialogProps) {
  const form = useSubmit(async (values) => {
    await api.renamePasskey(passkey.id, values.text("name"));
    onRenamed();
    onClose();
  });
  const title = `${words.account.passkeys.rename} ${passkey.name}`;
  return <NameDialog title={title} form={form} name={passkey.name} verb={words.actions.save} onClose={onClose} />;
}

interface NameDialogProps {
  title: string;
  form: Submit;
  name: string;
  verb: string;
  children?: ReactNode;
  onClose(): void;
}

function NameDialog({ title, form, name, verb, children, onClose }: NameDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form className={styles.fields} onSubmit={form.onSubmit} noValidate>
        <Field
          label={words.account.passkeys.name}
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          defaultValue={name}
          hint={words.account.passkeys.nameHint}
          error={form.errors.name}
        />
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
