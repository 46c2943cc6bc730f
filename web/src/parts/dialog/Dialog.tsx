import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { words } from "../../glossary";
import { IconButton } from "../button/Button";
import styles from "./Dialog.module.css";

interface DialogProps {
  title: string;
  onClose(): void;
  /** How much room it takes: a form's, a wide one's, or the side of the window from top to bottom. */
  size?: "form" | "wide" | "side";
  children: ReactNode;
}

/** Open while it is rendered. The browser keeps the focus inside and gives it back to where it was. */
export function Dialog({ title, onClose, size = "form", children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  // A layout effect, because closing must happen before the element leaves the page for the focus to return.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("input:not([hidden]), select")?.focus();
    return () => element?.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      data-size={size}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
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
