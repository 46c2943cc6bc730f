import styles from "./Avatar.module.css";

/** Initials as a face. The name stands beside it, so this is decoration. */
export function Avatar({ name }: { name: string }) {
  return (
    <span className={styles.avatar} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

function initials(name: string): string {
  const parts = name.trim().split(/\s+/);
  const chosen = parts.length > 1 ? [parts[0], parts.at(-1)] : [parts[0]];
  return chosen
    .map((part) => [...(part ?? "")][0] ?? "")
    .join("")
    .toLocaleUpperCase();
}
