import { type KeyboardEvent, useEffect, useRef, useSyncExternalStore } from "react";
import { words } from "../../glossary";
import { Icon } from "../../parts/icon/Icon";
import { focusItem, moveInMenu } from "../../parts/menu/menu-keys";
import { type Action, isAvailable, labelOf } from "../../state/actions";
import styles from "./ElementMenu.module.css";
import { elementMenu, type MenuPoint } from "./element-menu";
import { Keys } from "./Keys";
import { useActionList } from "./use-actions";

/** What can be done with the selected element, at the pointer or under a button. */
export function ElementMenu() {
  const point = useSyncExternalStore(elementMenu.subscribe, elementMenu.get);
  return point === undefined ? null : <Menu point={point} />;
}

function Menu({ point }: { point: MenuPoint }) {
  const isItem = (action: Action) => action.group === "element" && action.isNotInMenu !== true && isAvailable(action);
  const all = useActionList().filter(isItem);
  // What destroys something is out of the way of the rest.
  const items = [...all.filter(({ isDanger }) => !isDanger), ...all.filter(({ isDanger }) => isDanger)];
  const menu = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = menu.current;
    if (element === null) return;
    element.showPopover();
    // The menu stays on the screen, wherever it was asked for.
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(8, Math.min(point.x, window.innerWidth - width - 8))}px`;
    element.style.top = `${Math.max(8, Math.min(point.y, window.innerHeight - height - 8))}px`;
    focusItem(element, "first");
  }, [point]);

  function choose(action: Action) {
    // Closing first gives the focus back to where it was, so that a dialog opened by the choice can return it there too.
    menu.current?.hidePopover();
    void action.run();
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (moveInMenu(event)) return;
    if (event.key === "Tab") menu.current?.hidePopover();
  }

  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={words.editor.elementMenu}
      className={styles.menu}
      onKeyDown={onKeyDown}
      onToggle={(event) => event.newState === "closed" && elementMenu.set(undefined)}
    >
      {items.map((action) => (
        <button
          key={action.id}
          type="button"
          role="menuitem"
          tabIndex={-1}
          data-danger={action.isDanger}
          onClick={() => choose(action)}
        >
          <span className={styles.icon}>{action.icon && <Icon name={action.icon} />}</span>
          <span>{labelOf(action)}</span>
          <Keys keys={action.keys?.[0]} />
        </button>
      ))}
    </div>
  );
}
