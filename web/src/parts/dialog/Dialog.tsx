import { type ReactNode, useId } from "react";
import { words } from "../../glossary";
import { IconButton } from "../button/Button";
import styles from "./Dialog.module.css";
import { useModal } from "./use-modal";

interface DialogProps {
  title: string;
  onClose(): void;
  /** How much room it takes: a form's, a wide one's, or the side of the window from top to bottom. */
  size?: "form" | "wide" | "side";
  children: ReactNode;
}

/** A window over the page with a title and a way out. Open while it is rendered. */
export function Dialog({ title, onClose, size = "form", children }: DialogProps) {
  const modal = useModal(onClose);
  const titleId = useId();
  return (
    <dialog {...modal} className={styles.dialog} data-size={size} aria-labelledby={titleId}>
      <div className={styles.body}>
        <header className={styles.header}>
          <h2 id={titleId}>{title}</h2>
          <IconButton label={words.actions.close} icon="close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
