import styles from "./Mark.module.css";

/** Two pieces held by a dovetail, the joint a wright makes without nails. */
export function Mark() {
  return (
    <svg className={styles.mark} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path className={styles.upper} d="M6 1h12a5 5 0 0 1 5 5v6.500h-6.600l2.100 6h-13l2.100-6H1V6a5 5 0 0 1 5-5Z" />
      <path className={styles.lower} d="M1 14h4.500l-2.100 6h17.200l-2.100-6H23v4a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5Z" />
    </svg>
  );
}
