import { useId, useSyncExternalStore } from "react";
import { theme } from "../app-state";
import { words } from "../glossary";
import { THEMES } from "../state/theme";
import styles from "./AccountMenu.module.css";

/** A group of the account menu. Choosing leaves the menu open, so that the themes can be compared. */
export function ThemeChoice() {
  const chosen = useSyncExternalStore(theme.subscribe, theme.get);
  const title = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu holds groups and items, and no fieldset.
    <div role="group" aria-labelledby={title} className={styles.theme}>
      <span id={title}>{words.theme.title}</span>
      <div role="presentation" className={styles.options}>
        {THEMES.map((option) => (
          <button
            key={option}
            type="button"
            role="menuitemradio"
            tabIndex={-1}
            aria-checked={chosen === option}
            onClick={() => theme.choose(option)}
          >
            {words.theme[option]}
          </button>
        ))}
      </div>
    </div>
  );
}
