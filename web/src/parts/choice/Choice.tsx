import { type InputHTMLAttributes, type ReactNode, useState } from "react";
import { impliedBy, type PermissionGroup } from "../../access/permissions";
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

/** The permissions as boxes under their headings; the form reads them as `capabilities`. One that another includes is ticked with it. */
export function PermissionChoices({ groups, chosen = [], error }: PermissionChoicesProps) {
  const [ticked, setTicked] = useState(chosen);
  const tick = (name: string, isTicked: boolean) =>
    setTicked((before) => [...before.filter((other) => other !== name), ...(isTicked ? [name] : [])]);
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
              checked={ticked.includes(name) || ticked.some((other) => impliedBy(other) === name)}
              disabled={ticked.some((other) => impliedBy(other) === name)}
              onChange={(event) => tick(name, event.currentTarget.checked)}
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
