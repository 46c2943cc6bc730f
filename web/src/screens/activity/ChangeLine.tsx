import type { HistoryItem } from "../../generated/api";
import { words } from "../../glossary";
import { When } from "../../parts/When";
import { visible } from "../../words/visible-text";
import type { NameOf } from "../site/history/use-names";
import styles from "./Activity.module.css";

/** A change of the site in one line: what, who, when. */
export function ChangeLine({ change, nameOf }: { change: HistoryItem; nameOf: NameOf }) {
  return (
    <div className={styles.entry}>
      <p>{change.summary.trim() === "" ? words.approvals.unnamed : visible(change.summary)}</p>
      <p className={styles.about}>
        <bdi>{nameOf(change)}</bdi> · <When at={change.at} />
      </p>
    </div>
  );
}
