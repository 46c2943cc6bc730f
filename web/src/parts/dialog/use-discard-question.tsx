import { type ReactNode, useState } from "react";
import { words } from "../../glossary";
import { Button } from "../button/Button";
import { Dialog, DialogActions } from "./Dialog";

interface DiscardQuestion {
  /** Closes the form, after asking where something was changed. */
  close(): void;
  /** To be rendered within the form's dialog. */
  question: ReactNode;
}

/** Asks before a form with unsaved changes is closed by Escape or its close button, which are easily hit by mistake. */
export function useDiscardQuestion(isChanged: boolean, onClose: () => void): DiscardQuestion {
  const [isAsking, setAsking] = useState(false);
  const stay = () => setAsking(false);
  return {
    close: () => (isChanged ? setAsking(true) : onClose()),
    question: isAsking && (
      <Dialog title={words.discard.title} onClose={stay}>
        <p>{words.discard.text}</p>
        <DialogActions>
          <Button onClick={stay}>{words.discard.stay}</Button>
          <Button look="danger" onClick={onClose}>
            {words.discard.verb}
          </Button>
        </DialogActions>
      </Dialog>
    ),
  };
}
