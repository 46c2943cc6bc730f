import { type ReactNode, useId, useState } from "react";
import { words } from "../../../glossary";
import { Icon } from "../../../parts/icon/Icon";
import styles from "./Inspector.module.css";
import type { Draft } from "./use-draft";

/** What a person folded stays so for the next element, for as long as the tab is there. */
const folded = new Set<string>();

/** A part of the inspector that can be folded. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const [wasOpen] = useState(() => !folded.has(title));
  return (
    <details
      className={styles.section}
      open={wasOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) folded.delete(title);
        else folded.add(title);
      }}
    >
      <summary>
        <h3>{title}</h3>
        <Icon name="chevron" />
      </summary>
      <div className={styles.rows}>{children}</div>
    </details>
  );
}

interface RowProps {
  label: string;
  /** Where the value comes from. */
  origin?: ReactNode;
  /** Over the control instead of beside it. */
  over?: boolean;
  hint?: ReactNode;
  error?: string;
  children(ids: { id: string; "aria-describedby": string; "aria-invalid": true | undefined }): ReactNode;
}

/** A label and its control. */
export function Row({ label, origin, over = false, hint, error, children }: RowProps) {
  const id = useId();
  const described = `${id}-said`;
  return (
    <div className={styles.row} data-over={over}>
      <div className={styles.label}>
        <label htmlFor={id}>{label}</label>
        {origin}
      </div>
      {children({ id, "aria-describedby": described, "aria-invalid": error === undefined ? undefined : true })}
      <div id={described} className={styles.said}>
        {error !== undefined && (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
        {hint !== undefined && <div className={styles.hint}>{hint}</div>}
      </div>
    </div>
  );
}

/** Two versions of one value, and whose is to stand. */
export function Conflict({ draft, theirs }: { draft: Draft; theirs: string }) {
  if (!draft.conflict) return null;
  return (
    <div className={styles.conflict} role="alert">
      <p>{words.inspector.conflict}</p>
      <p className={styles.theirs}>{theirs === "" ? words.inspector.nothing : theirs}</p>
      <div>
        <button type="button" className={styles.small} onClick={draft.takeMine}>
          {words.inspector.useMine}
        </button>
        <button type="button" className={styles.small} onClick={draft.keepTheirs}>
          {words.inspector.keepTheirs}
        </button>
      </div>
    </div>
  );
}
