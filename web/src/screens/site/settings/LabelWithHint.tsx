import styles from "./Settings.module.css";

/** The name of a choice with a sentence about it. */
export function LabelWithHint({ title, hint }: { title: string; hint: string }) {
  return (
    <>
      {title}
      <small className={styles.labelHint}>{hint}</small>
    </>
  );
}
