import styles from "./Keys.module.css";
import { keyNames } from "./keys";

/** A shortcut as it is written on the keyboard. */
export function Keys({ keys }: { keys?: string }) {
  if (keys === undefined) return null;
  return (
    <span className={styles.keys}>
      {keyNames(keys).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  );
}
