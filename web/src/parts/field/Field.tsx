import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import styles from "./Field.module.css";

interface Shell {
  label: string;
  hint?: ReactNode;
  error?: string;
}

type FieldProps = Shell & InputHTMLAttributes<HTMLInputElement>;

export function Field({ label, hint, error, ...input }: FieldProps) {
  const ids = useFieldIds(hint, error);
  return (
    <FieldShell label={label} hint={hint} error={error} ids={ids}>
      <input {...input} {...ids.control} className={styles.input} />
    </FieldShell>
  );
}

type TextAreaProps = Shell & TextareaHTMLAttributes<HTMLTextAreaElement>;

export function TextArea({ label, hint, error, ...area }: TextAreaProps) {
  const ids = useFieldIds(hint, error);
  return (
    <FieldShell label={label} hint={hint} error={error} ids={ids}>
      <textarea {...area} {...ids.control} className={styles.area} />
    </FieldShell>
  );
}

type SelectProps = Shell & SelectHTMLAttributes<HTMLSelectElement>;

export function Select({ label, hint, error, children, ...select }: SelectProps) {
  const ids = useFieldIds(hint, error);
  return (
    <FieldShell label={label} hint={hint} error={error} ids={ids}>
      <select {...select} {...ids.control} className={styles.select}>
        {children}
      </select>
    </FieldShell>
  );
}

export interface FieldIds {
  control: { id: string; "aria-describedby": string | undefined; "aria-invalid": true | undefined };
  hint: string;
  error: string;
}

export function useFieldIds(hint: ReactNode, error: string | undefined): FieldIds {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [error !== undefined && errorId, hint !== undefined && hintId].filter((part) => part !== false);
  return {
    control: {
      id,
      "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
      "aria-invalid": error === undefined ? undefined : true,
    },
    hint: hintId,
    error: errorId,
  };
}

export function FieldShell({ label, hint, error, ids, children }: Shell & { ids: FieldIds; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={ids.control.id}>
        {label}
      </label>
      {children}
      {error !== undefined && (
        <p className={styles.error} id={ids.error}>
          {error}
        </p>
      )}
      {hint !== undefined && (
        <div className={styles.hint} id={ids.hint}>
          {hint}
        </div>
      )}
    </div>
  );
}
