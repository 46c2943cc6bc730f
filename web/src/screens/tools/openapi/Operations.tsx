import type { OperationInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { Badge } from "../../../parts/badge/Badge";
import { Checkbox } from "../../../parts/choice/Choice";
import { visible } from "../../../words/visible-text";
import styles from "./Documents.module.css";

interface OperationsProps {
  operations: readonly OperationInfo[];
  /** Operations that the document itself marks as tools. */
  marked: ReadonlySet<string>;
  chosen: ReadonlySet<string>;
  onChoose(chosen: ReadonlySet<string>): void;
}

/** The operations of a document, to choose those that become tools. */
export function Operations({ operations, marked, chosen, onChoose }: OperationsProps) {
  function toggle(label: string, isChosen: boolean) {
    const next = new Set(chosen);
    if (isChosen) next.add(label);
    else next.delete(label);
    onChoose(next);
  }
  if (operations.length === 0) return <p className={styles.faint}>{words.openapi.noOperations}</p>;
  return (
    <fieldset className={styles.operations}>
      <legend className="visually-hidden">{words.openapi.operations}</legend>
      {operations.map(({ label, summary }) => (
        <Checkbox
          key={label}
          checked={marked.has(label) || chosen.has(label)}
          disabled={marked.has(label)}
          onChange={(event) => toggle(label, event.target.checked)}
          label={
            <>
              <code>{visible(label)}</code> {marked.has(label) && <Badge>{words.openapi.marked}</Badge>}
              {summary !== "" && <small>{visible(summary)}</small>}
            </>
          }
        />
      ))}
    </fieldset>
  );
}
