import { useEffect } from "react";
import { Link } from "wouter";
import { inbox } from "../../app-state";
import { words } from "../../glossary";
import { useInbox } from "../../hooks/use-inbox";
import { Empty } from "../../parts/empty/Empty";
import { LoadingRows } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { Note, ProblemPanel } from "../../parts/problem/Problem";
import type { Entry } from "../../state/inbox";
import { isWaiting } from "../../words/call-words";
import { ApprovalCard, announcementOf, headingOf } from "./ApprovalCard";
import styles from "./Approvals.module.css";

/** Everything that waits, the oldest first; what is decided meanwhile stays with what came of it. */
export function WaitingCards({ announce, unknownCount }: { announce(text: string): void; unknownCount: number }) {
  const state = useInbox();
  useEffect(inbox.keepDecided, []);
  return (
    <Page
      title={words.activityPage.tabs.waiting}
      intro="Requests from agents and scripts that need approval. Nothing happens until someone approves them."
    >
      {state.status === "loading" && <LoadingRows />}
      {state.status === "failed" && <ProblemPanel error={state.error} onRetry={() => void inbox.refresh()} />}
      {state.status === "ready" && <Entries entries={state.entries} announce={announce} />}
      {unknownCount > 0 && (
        <div className={styles.unknown}>
          <Note tone="caution">
            {words.approvals.unknownCount(unknownCount)}{" "}
            <Link href="/approvals/unknown">{words.approvals.sayWhatCame}</Link>
          </Note>
        </div>
      )}
    </Page>
  );
}

function Entries({ entries, announce }: { entries: readonly Entry[]; announce(text: string): void }) {
  if (entries.length === 0) {
    return (
      <Empty icon="check" title="Nothing needs your attention">
        When an agent wants to remove a page, change code or do something outside this site, it asks here first and
        continues once you have answered.
      </Empty>
    );
  }

  function onDecided(entry: Entry) {
    announce(announcementOf(entry));
    const place = entries.findIndex(({ card }) => card.id === entry.card.id);
    const others = [...entries.slice(place + 1), ...entries.slice(0, Math.max(place, 0))];
    const next = others.find(({ card }) => isWaiting(card)) ?? entry;
    document.getElementById(headingOf(next.card))?.focus();
  }

  return (
    <ul className={styles.cards} aria-label={words.pages.approvals}>
      {entries.map((entry) => (
        <li key={entry.card.id}>
          <ApprovalCard entry={entry} onDecided={onDecided} />
        </li>
      ))}
    </ul>
  );
}
