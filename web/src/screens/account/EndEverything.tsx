import { useState } from "react";
import { api, session } from "../../app-state";
import { words } from "../../glossary";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { PasswordField } from "../../parts/field/PasswordField";
import { ProblemNote } from "../../parts/problem/Problem";
import styles from "./Account.module.css";

export function EndEverything() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.account.everything.action}</Button>
      {open && <EndEverythingDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function EndEverythingDialog({ onClose }: { onClose(): void }) {
  const form = useSubmit(async (values) => {
    await api.endEverything({ password: values.text("password") });
    await session.leave();
  });
  return (
    <Dialog title={words.account.everything.title} onClose={onClose}>
      <p>{words.account.everything.intro}</p>
      <form className={styles.fields} onSubmit={form.onSubmit} noValidate>
        <PasswordField label="Password" name="password" purpose="current" error={form.errors.password} />
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="danger" type="submit" busy={form.pending}>
            {words.account.everything.action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
