import type { HistoryItem } from "../../generated/api";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Badge } from "../../parts/badge/Badge";
import { When } from "../../parts/When";
import { visible } from "../../visible-text";
import { authorName } from "../publish/authors";
import styles from "./Activity.module.css";

/** A change of the site in one line: what, who, when. */
export function ChangeLine({ change }: { change: HistoryItem }) {
  const { user } = useSession();
  const { author, summary } = change;
  const isMine = author.kind === "person" && author.id === user?.id;
  return (
    <div className={styles.entry}>
      <p>{summary.trim() === "" ? words.approvals.unnamed : visible(summary)}</p>
      <p className={styles.about}>
        {author.kind === "agent" && <Badge>{words.actors.assistant}</Badge>}{" "}
        <bdi>{isMine ? words.states.you : authorName(author)}</bdi> · <When at={change.at} />
      </p>
    </div>
  );
}
