import { Link } from "wouter";
import type { HistoryDocument } from "../../../generated/api";
import { words } from "../../../glossary";
import { visible } from "../../../words/visible-text";
import styles from "./History.module.css";

const SHOWN_MAX = 3;

/** The pages that changes touched, each leading to the editor. */
export function PageLinks({ documents }: { documents: readonly HistoryDocument[] }) {
  if (documents.length === 0) return null;
  const hidden = documents.length - SHOWN_MAX;
  return (
    <ul className={styles.pages} aria-label={words.history.pages}>
      {documents.slice(0, SHOWN_MAX).map(({ id, title }) => (
        <li key={id}>
          <Link href={`/site/${id}`}>{visible(title)}</Link>
        </li>
      ))}
      {hidden > 0 && <li>{words.approvals.more(hidden)}</li>}
    </ul>
  );
}
