import styles from "./Settings.module.css";

/** The name of a choice with a sentence about it. */
export function Said({ title, hint }: { title: string; hint: string }) {
  return (
    <>
      {title}
      <small className={styles.saidHint}>{hint}</small>
    </>
  );
}
