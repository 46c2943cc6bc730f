import { useState } from "react";
import { notices } from "../../../app-state";
import type { HistoryPage } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { Button } from "../../../parts/button/Button";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Dialog } from "../../../parts/dialog/Dialog";
import { Empty } from "../../../parts/empty/Empty";
import { LoadingRows } from "../../../parts/loading/Loading";
import { Note, ProblemNote, ProblemPanel } from "../../../parts/problem/Problem";
import { byDay } from "../../../site/history";
import type { RevertTarget } from "../../../site/revert-id";
import type { Sync } from "../../../site/sync";
import { dayInWords, exactTime } from "../../../words/time-words";
import { useSyncState } from "../use-sync";
import styles from "./History.module.css";
import { HistoryFilters } from "./HistoryFilters";
import { HistoryRow } from "./HistoryRow";
import { useHistory } from "./use-history";
import { useNames } from "./use-names";

const texts = words.history;

interface HistoryDrawerProps {
  sync: Sync;
  editable: boolean;
  onClose(): void;
}

/** What happened to the site, the newest first, and the ways back. */
export function HistoryDrawer({ sync, editable, onClose }: HistoryDrawerProps) {
  const { pages, filter, setFilter, options, older } = useHistory();
  const { state, reload } = pages;
  const { waiting } = useSyncState(sync);
  const [restoring, setRestoring] = useState<{ after: number; when: string }>();
  const [left, setLeft] = useState(0);
  const nameOf = useNames();

  async function takeBack(what: RevertTarget): Promise<void> {
    const { left } = await sync.revert(what);
    setLeft(left.length);
    if (left.length === 0) notices.show("after" in what ? texts.restored : texts.reverted);
    reload();
  }

  const taking = useAction(takeBack);
  // What is on its way here is not in the log yet, so that nothing could be said about taking it back.
  const canTake = editable && waiting === 0;
  const isFiltered = filter.author !== undefined || filter.document !== undefined;
  const newest = state.status === "ready" && !isFiltered ? (state.value.changes[0]?.seq ?? 0) : 0;
  return (
    <Dialog title={texts.title} onClose={onClose} size="side">
      {waiting > 0 && <Note tone="plain">{texts.waits}</Note>}
      {left > 0 && (
        <div role="status">
          <Note tone="caution">{texts.left(left)}</Note>
        </div>
      )}
      <ProblemNote problem={taking.problem ?? older.problem} />
      <HistoryFilters {...{ filter, setFilter, options, nameOf }} />
      {state.status === "loading" && <LoadingRows />}
      {state.status === "failed" && <ProblemPanel error={state.error} onRetry={reload} />}
      {state.status === "ready" && (
        <>
          {state.value.changes.length === 0 && <Empty icon="clock" title={isFiltered ? texts.noMatch : texts.empty} />}
          {byDay(state.value.changes).map(({ day, entries }) => (
            <section key={day} className={styles.day}>
              <h3>{dayInWords(day, Date.now())}</h3>
              <ol>
                {entries.map((entry) => (
                  <HistoryRow
                    // By the oldest: newer ones join it while somebody reads.
                    key={(entry.changes.at(-1) ?? entry.undone.at(-1))?.id}
                    entry={entry}
                    nameOf={nameOf}
                    canTake={canTake && !taking.pending}
                    newest={newest}
                    onTakeBack={(what) => taking.run(what)}
                    onRestore={(change) => setRestoring({ after: change.seq, when: exactTime(change.at) })}
                  />
                ))}
              </ol>
            </section>
          ))}
          {state.value.next != null && (
            <Button busy={older.pending} onClick={() => older.run(state.value.next ?? 0)}>
              {texts.older}
            </Button>
          )}
          {state.value.next == null && !isFiltered && (
            <RestorePoints
              history={state.value}
              canTake={canTake}
              onRestore={(after, at) => setRestoring({ after, when: exactTime(at) })}
            />
          )}
        </>
      )}
      {restoring !== undefined && (
        <Confirm
          title={texts.pointAt(restoring.when)}
          verb={texts.restore}
          action={() => takeBack({ after: restoring.after })}
          onClose={() => setRestoring(undefined)}
        >
          {texts.restoreAsk}
        </Confirm>
      )}
    </Dialog>
  );
}

interface RestorePointsProps {
  history: HistoryPage;
  canTake: boolean;
  onRestore(after: number, at: number): void;
}

/** Moments from before the changes that are kept one by one. */
function RestorePoints({ history, canTake, onRestore }: RestorePointsProps) {
  const { keptFrom, changes } = history;
  // The site is at the newest change already.
  const restorePoints = history.restorePoints.filter(({ seq }) => seq !== changes[0]?.seq);
  if (restorePoints.length === 0) return null;
  return (
    <section className={styles.day}>
      <h3>{texts.points}</h3>
      <p className={styles.hint}>{keptFrom > 1 ? `${texts.notKept} ${texts.pointsHint}` : texts.pointsHint}</p>
      <ul className={styles.points}>
        {restorePoints.map(({ seq, at }) => (
          <li key={seq}>
            <time dateTime={new Date(at).toISOString()}>{exactTime(at)}</time>
            <Button disabled={!canTake} onClick={() => onRestore(seq, at)}>
              {texts.restore}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
