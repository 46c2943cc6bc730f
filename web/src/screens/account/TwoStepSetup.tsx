import { api } from "../../app-state";
import type { NewAuthenticator } from "../../generated/api";
import { words } from "../../glossary";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field } from "../../parts/field/Field";
import { ProblemNote } from "../../parts/problem/Problem";
import { QrCode } from "../../parts/qr/QrCode";
import styles from "./Account.module.css";

interface TwoStepSetupProps {
  begun: NewAuthenticator;
  onCodes(codes: readonly string[]): void;
  onClose(): void;
}

/** The secret for the authenticator app, and its first code as proof that it was taken over. */
export function TwoStepSetup({ begun, onCodes, onClose }: TwoStepSetupProps) {
  const form = useSubmit(async (values) => {
    const { codes } = await api.turnOnSecondFactor({ ticket: begun.ticket, code: values.text("code") });
    onCodes(codes);
  });
  const { setUpTitle, scan, qr, here, key, first, firstHint, turnOn } = words.account.twoStep;
  return (
    <Dialog title={setUpTitle} onClose={onClose}>
      <p>{scan}</p>
      <div className={styles.qr}>
        <QrCode text={begun.url} label={qr} />
        <a href={begun.url}>{here}</a>
      </div>
      <div className={styles.key}>
        <p>{key}</p>
        <code>{grouped(begun.secret)}</code>
      </div>
      <form className={styles.fields} onSubmit={form.onSubmit} noValidate>
        <Field
          label={first}
          name="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          hint={firstHint}
          error={form.errors.code}
        />
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {turnOn}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** In groups of four, as people read it from a screen. Apps ignore the spaces. */
function grouped(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(" ") ?? secret;
}
