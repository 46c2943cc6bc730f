import styles from "./Mark.module.css";

/** Two pieces held by a dovetail, the joint a wright makes without nails. */
export function Mark() {
  return (
    <svg className={styles.mark} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path className={styles.upper} d="M6 1h12a5 5 0 0 1 5 5v3.5h-6.5l2 6.5h-13l2-6.5H1V6a5 5 0 0 1 5-5Z" />
      <path className={styles.lower} d="M1 11h4.5l-2 6.5h17l-2-6.5H23v7a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5Z" />
    </svg>
  );
}
