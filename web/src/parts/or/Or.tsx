import { words } from "../../glossary";
import styles from "./Or.module.css";

/** Between two ways to do the same. */
export function Or() {
  return <p className={styles.or}>{words.account.passkey.or}</p>;
}
