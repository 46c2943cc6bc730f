import type { InputHTMLAttributes, ReactNode } from "react";
import type { PermissionGroup } from "../../access/permissions";
import styles from "./Choice.module.css";

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, "type">;

export function Checkbox({ label, ...input }: Input & { label: ReactNode }) {
  return (
    <label className={styles.choice}>
      <input {...input} type="checkbox" />
      <span>{label}</span>
    </label>
  );
}

export function Radio({ label, hint, ...input }: Input & { label: string; hint?: string }) {
  return (
    <label className={styles.choice}>
      <input {...input} type="radio" />
      <span>
        {label}
        {hint && <small>{hint}</small>}
      </span>
    </label>
  );
}

export function Choices({ title, error, children }: { title: string; error?: string; children: ReactNode }) {
  return (
    <fieldset className={styles.choices}>
      <legend>{title}</legend>
      {children}
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface PermissionChoicesProps {
  groups: readonly PermissionGroup[];
  chosen?: readonly string[];
  error?: string;
}

/** The permissions as boxes under their headings; the form reads them as `capabilities`. */
export function PermissionChoices({ groups, chosen = [], error }: PermissionChoicesProps) {
  return (
    <div className={styles.groups}>
      {groups.map((group) => (
        <fieldset key={group.title} className={styles.group}>
          <legend>{group.title}</legend>
          {group.permissions.map(({ name, label }) => (
            <Checkbox
              key={name}
              name="capabilities"
              value={name}
              label={label}
              defaultChecked={chosen.includes(name)}
            />
          ))}
        </fieldset>
      ))}
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
