import { words } from "../../glossary";
import styles from "./Count.module.css";

const MOST = 99;

/** How many things wait for somebody; nothing when none do. */
export function Count({ value }: { value: number }) {
  if (value === 0) return null;
  return (
    <>
      <span className={styles.count} aria-hidden="true">
        {value > MOST ? `${MOST}+` : value}
      </span>
      <span className="visually-hidden"> {words.approvals.waitingCount(value)}</span>
    </>
  );
}
