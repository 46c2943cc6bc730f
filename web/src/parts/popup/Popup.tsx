import { createContext, type ReactNode, useContext, useId } from "react";
import { Icon, type IconName } from "../icon/Icon";
import styles from "./Popup.module.css";

const PopupId = createContext("");

interface PopupProps {
  /** The name of the button for those who do not see it. */
  label: string;
  trigger: ReactNode;
  look: "icon" | "person";
  children: ReactNode;
}

/** A button and the panel it opens. The browser closes the panel on Escape and on a click elsewhere, and returns the focus. */
export function Popup({ label, trigger, look, children }: PopupProps) {
  const id = useId();
  return (
    <>
      <button type="button" className={styles.trigger} data-look={look} popoverTarget={id}>
        {trigger}
        <span className="visually-hidden">{label}</span>
      </button>
      <div id={id} popover="auto" className={styles.panel} data-look={look}>
        <PopupId.Provider value={id}>{children}</PopupId.Provider>
      </div>
    </>
  );
}

interface PopupItemProps {
  icon?: IconName;
  danger?: boolean;
  onSelect(): void;
  children: ReactNode;
}

/** A choice in the panel; choosing it closes the panel. */
export function PopupItem({ icon, danger = false, onSelect, children }: PopupItemProps) {
  const id = useContext(PopupId);

  function select() {
    // Closing first gives the focus back to the trigger, so that a dialog opened by the choice can return it there too.
    document.getElementById(id)?.hidePopover();
    onSelect();
  }

  return (
    <button type="button" className={styles.item} data-danger={danger} onClick={select}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
