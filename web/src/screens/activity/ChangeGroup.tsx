import { words } from "../../glossary";
import { When } from "../../parts/When";
import { type HistoryEntry, summariesOf } from "../../site/history";
import { isRevert } from "../../site/revert-id";
import { visible } from "../../words/visible-text";
import { PageLinks } from "../site/history/PageLinks";
import type { NameOf } from "../site/history/use-names";
import styles from "./Activity.module.css";

interface ChangeGroupProps {
  entry: HistoryEntry;
  nameOf: NameOf;
  /** How many different things it lists. */
  most: number;
}

/** What somebody did for one request or in one sitting: who and when, where, and what. */
export function ChangeGroup({ entry: { changes, undone, documents }, nameOf, most }: ChangeGroupProps) {
  const [newest] = [...changes, ...undone];
  if (newest === undefined) return null;
  const said = summariesOf(changes);
  const rest = said.slice(most).reduce((sum, { count }) => sum + count, 0);
  return (
    <div className={styles.group}>
      <p className={styles.about}>
        <bdi>{nameOf(newest)}</bdi> · <When at={newest.at} />
      </p>
      <ul>
        {said.slice(0, most).map(({ summary, count }) => (
          <li key={summary}>
            {words.history.times(summary.trim() === "" ? words.approvals.unnamed : visible(summary), count)}
          </li>
        ))}
        {rest > 0 && <li className={styles.about}>{words.history.moreChanges(rest)}</li>}
        {changes.length === 0 && (
          <li className={styles.about}>{words.history.undone(undone.filter(({ id }) => !isRevert(id)).length)}</li>
        )}
      </ul>
      <PageLinks documents={documents} />
    </div>
  );
}
