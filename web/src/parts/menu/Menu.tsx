// A button and its menu, on the browser's own popover: it closes on Escape and on a click elsewhere, stays above everything and returns
// the focus. What the popover lacks is written here and in menu-keys.ts. React Aria's menu does the same for 42 KB by Brotli, nearly
// half of what signing in fetches as a whole; this is under 1 KB.
import { createContext, type KeyboardEvent, type ReactNode, useContext, useId, useRef } from "react";
import { Icon, type IconName } from "../icon/Icon";
import styles from "./Menu.module.css";
import { focusItem, moveInMenu } from "./menu-keys";

/** Closes the menu around an item. */
const CloseMenu = createContext(() => {});

interface MenuProps {
  /** The name of the button for those who do not see it. */
  label: string;
  trigger: ReactNode;
  look: "icon" | "person";
  /** What is shown above the items and cannot be chosen. */
  header?: ReactNode;
  children: ReactNode;
}

export function Menu({ label, trigger, look, header, children }: MenuProps) {
  const id = useId();
  const labelId = useId();
  const panel = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const opensAt = useRef<"first" | "last">("first");

  function onTriggerKeyDown(event: KeyboardEvent<HTMLButtonElement>) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    opensAt.current = event.key === "ArrowUp" ? "last" : "first";
    // A click and not `showPopover`: the browser places the panel beside the button that opened it.
    event.currentTarget.click();
  }

  return (
    <>
      <button
        type="button"
        className={styles.trigger}
        data-look={look}
        aria-haspopup="menu"
        popoverTarget={id}
        onKeyDown={onTriggerKeyDown}
      >
        {trigger}
        <span id={labelId} className="visually-hidden">
          {label}
        </span>
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={styles.panel}
        data-look={look}
        onToggle={({ newState }) => {
          if (newState === "open") focusItem(menu.current, opensAt.current);
          opensAt.current = "first";
        }}
      >
        {header}
        <div
          ref={menu}
          role="menu"
          aria-labelledby={labelId}
          onKeyDown={(event) => {
            if (moveInMenu(event)) return;
            // Going on with Tab leaves the menu, from the button that opened it.
            if (event.key === "Tab") panel.current?.hidePopover();
          }}
        >
          <CloseMenu.Provider value={() => panel.current?.hidePopover()}>{children}</CloseMenu.Provider>
        </div>
      </div>
    </>
  );
}

interface MenuItemProps {
  icon?: IconName;
  danger?: boolean;
  onSelect(): void;
  children: ReactNode;
}

/** A choice in the menu; choosing it closes the menu. */
export function MenuItem({ icon, danger = false, onSelect, children }: MenuItemProps) {
  const close = useContext(CloseMenu);

  function select() {
    // Closing first gives the focus back to the trigger, so that a dialog opened by the choice can return it there too.
    close();
    onSelect();
  }

  return (
    <button type="button" role="menuitem" tabIndex={-1} className={styles.item} data-danger={danger} onClick={select}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
