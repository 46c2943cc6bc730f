import type { FindingInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { Badge } from "../../../parts/badge/Badge";
import { visible } from "../../../words/visible-text";
import styles from "./Documents.module.css";

/** What is wrong with a document: the place, and what to do about it. */
export function Findings({ findings }: { findings: readonly FindingInfo[] }) {
  if (findings.length === 0) return <p className={styles.faint}>{words.openapi.noFindings}</p>;
  return (
    <ul className={styles.findings} aria-label={words.openapi.findings}>
      {findings.map(({ level, code, pointer, line, message }) => (
        <li key={`${pointer} ${code} ${message}`}>
          <p>
            <Badge tone={level === "error" ? "danger" : "caution"}>{words.openapi.level[level] ?? level}</Badge>{" "}
            {visible(message)}
          </p>
          <p className={styles.faint}>
            <code>{visible(pointer)}</code> · {words.openapi.line(line)}
          </p>
        </li>
      ))}
    </ul>
  );
}
