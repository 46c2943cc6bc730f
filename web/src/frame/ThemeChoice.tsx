import { useId, useSyncExternalStore } from "react";
import { theme } from "../app-state";
import { words } from "../glossary";
import { THEMES } from "../state/theme";
import styles from "./AccountMenu.module.css";

export function ThemeChoice() {
  const chosen = useSyncExternalStore(theme.subscribe, theme.get);
  const group = useId();
  return (
    <fieldset className={styles.theme}>
      <legend>{words.theme.title}</legend>
      <div className={styles.options}>
        {THEMES.map((option) => (
          <label key={option}>
            <input
              type="radio"
              name={group}
              value={option}
              checked={chosen === option}
              onChange={() => theme.choose(option)}
            />
            {words.theme[option]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
