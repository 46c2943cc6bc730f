import type { ReactNode } from "react";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { Button } from "../button/Button";
import { ProblemNote } from "../problem/Problem";
import { Dialog, DialogActions } from "./Dialog";

interface ConfirmProps {
  title: string;
  /** The verb of what will happen, on the button. */
  verb: string;
  children: ReactNode;
  action(): Promise<void>;
  onClose(): void;
}

/** Asks before something that cannot be taken back. Closes itself after success. */
export function Confirm({ title, verb, children, action, onClose }: ConfirmProps) {
  const confirmed = useAction(async () => {
    await action();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <ProblemNote problem={confirmed.problem} />
      <DialogActions>
        <Button onClick={onClose}>{words.actions.cancel}</Button>
        <Button look="danger" busy={confirmed.pending} onClick={() => confirmed.run()}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
