import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { provePasskey } from "../../access/passkey";
import { api, stepUp } from "../../app-state";
import type { ProofMethods } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useResource } from "../../hooks/use-resource";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field } from "../../parts/field/Field";
import { PasswordField } from "../../parts/field/PasswordField";
import { Loaded } from "../../parts/loading/Loading";
import { Or } from "../../parts/or/Or";
import { ProblemNote } from "../../parts/problem/Problem";
import styles from "./StepUpDialog.module.css";

/** Asks for a proof of who is there, while a request waits for it. */
export function StepUp() {
  return useSyncExternalStore(stepUp.subscribe, stepUp.get) ? <StepUpDialog /> : null;
}

function StepUpDialog() {
  const methods = useResource(api.proofMethods);
  return (
    <Dialog title={words.account.stepUp.title} onClose={() => stepUp.settle(false)}>
      <p>{words.account.stepUp.intro}</p>
      <Loaded resource={methods}>{(value) => <Proof methods={value.methods} />}</Loaded>
    </Dialog>
  );
}

function Proof({ methods }: ProofMethods) {
  const [byCode, setByCode] = useState(false);
  const passkey = useAction(async () => {
    const { ticket, options } = await api.startPasskeyProof();
    await api.prove({ passkey: { ticket, credential: await provePasskey(options) } });
    stepUp.settle(true);
  });
  return (
    <div className={styles.ways}>
      {methods.includes("passkey") && (
        <>
          <Button icon="key" wide busy={passkey.pending} onClick={() => passkey.run()}>
            {words.account.passkey.use}
          </Button>
          <ProblemNote problem={passkey.problem} />
          <Or />
        </>
      )}
      {/* Another way is an empty form. */}
      <ProofForm
        key={String(byCode)}
        byCode={byCode}
        onOther={methods.includes("code") ? () => setByCode(!byCode) : undefined}
      />
    </div>
  );
}

function ProofForm({ byCode, onOther }: { byCode: boolean; onOther: (() => void) | undefined }) {
  const element = useRef<HTMLFormElement>(null);
  const form = useSubmit(async (values) => {
    await api.prove(byCode ? { code: values.text("code") } : { password: values.text("password") });
    stepUp.settle(true);
  });
  // The form comes after the dialog, or takes the place of another.
  useEffect(() => element.current?.querySelector("input")?.focus(), []);
  return (
    <form ref={element} className={styles.ways} onSubmit={form.onSubmit} noValidate>
      {byCode ? (
        <Field
          label={words.account.secondStep.field}
          name="code"
          required
          autoComplete="one-time-code"
          hint={words.account.secondStep.hint}
          error={form.errors.code}
        />
      ) : (
        <PasswordField label="Password" name="password" purpose="current" error={form.errors.password} />
      )}
      {onOther && (
        <div className={styles.other}>
          <Button look="quiet" onClick={onOther}>
            {byCode ? words.account.stepUp.usePassword : words.account.stepUp.useCode}
          </Button>
        </div>
      )}
      <ProblemNote problem={form.problem} />
      <DialogActions>
        <Button onClick={() => stepUp.settle(false)}>{words.actions.cancel}</Button>
        <Button look="primary" type="submit" busy={form.pending}>
          {words.account.stepUp.confirm}
        </Button>
      </DialogActions>
    </form>
  );
}
