import { grouped } from "../../access/permissions";
import styles from "./Settings.module.css";

/** How many permissions, and behind it which ones. */
export function PermissionList({ summary, names }: { summary: string; names: readonly string[] }) {
  if (names.length === 0) return <p className={styles.about}>{summary}</p>;
  return (
    <details className={styles.permissions}>
      <summary>{summary}</summary>
      <div>
        {grouped(names).map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <ul>
              {group.permissions.map(({ name, label }) => (
                <li key={name}>{label}</li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </details>
  );
}
