import { useState } from "react";
import { historyApi } from "../../../app-state";
import type { HistoryItem, HistoryLine } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Avatar } from "../../../parts/avatar/Avatar";
import { Icon } from "../../../parts/icon/Icon";
import { LoadingRows } from "../../../parts/loading/Loading";
import { ProblemPanel } from "../../../parts/problem/Problem";
import { When } from "../../../parts/When";
import type { HistoryEntry } from "../../../site/history";
import { isRevert, type RevertTarget } from "../../../site/revert-id";
import { exactTime, timeInWords } from "../../../words/time-words";
import { visible } from "../../../words/visible-text";
import styles from "./History.module.css";
import { PageLinks } from "./PageLinks";
import type { NameOf } from "./use-names";

const texts = words.history;
/** Of a longer list the rest is shown when somebody asks for it. */
const SHOWN_MAX = 5;

interface HistoryRowProps {
  entry: HistoryEntry;
  nameOf: NameOf;
  canTake: boolean;
  /** The entry at which the site is now. */
  newest: number;
  onTakeBack(what: RevertTarget): void;
  onRestore(change: HistoryItem): void;
}

/** The changes of a request or of a sitting, with what was undone of them folded away. */
export function HistoryRow({ entry, nameOf, canTake, newest, onTakeBack, onRestore }: HistoryRowProps) {
  const { turn, changes, undone, documents } = entry;
  const [all, setAll] = useState(false);
  const [first] = [...changes, ...undone];
  if (first === undefined) return null;
  const who = nameOf(first);
  const row = (change: HistoryItem) => (
    <Change
      key={change.id}
      change={change}
      canTake={canTake}
      onTakeBack={onTakeBack}
      onRestore={change.seq === newest ? undefined : () => onRestore(change)}
    />
  );
  return (
    <li className={styles.entry}>
      <header>
        <Avatar name={who} />
        <div>
          <strong>{who}</strong>
          <small className={styles.turn}>
            {changes.length > 0 && `${(turn === undefined ? texts.sitting : texts.turn)(changes.length)} · `}
            <When at={first.at} />
          </small>
        </div>
        {turn !== undefined && changes.length > 0 && (
          <button type="button" className={styles.action} disabled={!canTake} onClick={() => onTakeBack({ turn })}>
            {texts.revertTurn}
          </button>
        )}
      </header>
      <PageLinks documents={documents} />
      {changes.length > 0 && <ol>{changes.slice(0, all ? undefined : SHOWN_MAX).map(row)}</ol>}
      {!all && changes.length > SHOWN_MAX && (
        <button type="button" className={styles.all} onClick={() => setAll(true)}>
          {texts.showAll(changes.length)}
        </button>
      )}
      {undone.length > 0 && (
        <details className={styles.undone}>
          <summary>{texts.undone(undone.filter(({ id }) => !isRevert(id)).length)}</summary>
          <ol>{undone.map(row)}</ol>
        </details>
      )}
    </li>
  );
}

interface ChangeProps {
  change: HistoryItem;
  canTake: boolean;
  onTakeBack(what: RevertTarget): void;
  onRestore?(): void;
}

function Change({ change, canTake, onTakeBack, onRestore }: ChangeProps) {
  const [open, setOpen] = useState(false);
  return (
    <li className={styles.change}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="chevron" />
          <span>{change.summary.trim() === "" ? words.approvals.unnamed : visible(change.summary)}</span>
          <time dateTime={new Date(change.at).toISOString()} title={exactTime(change.at)}>
            {timeInWords(change.at, Date.now())}
          </time>
        </summary>
        {open && <Lines seq={change.seq} />}
        <div className={styles.actions}>
          <button
            type="button"
            className={styles.action}
            disabled={!canTake}
            onClick={() => onTakeBack({ change: change.id })}
          >
            {texts.revert}
          </button>
          {onRestore !== undefined && (
            <button type="button" className={styles.action} disabled={!canTake} onClick={onRestore}>
              {texts.restore}
            </button>
          )}
        </div>
      </details>
    </li>
  );
}

/** What one change did, line by line. */
export function Lines({ seq }: { seq: number }) {
  const [load] = useState(() => () => historyApi.change(seq));
  const { state, reload } = useResource(load);
  if (state.status === "loading") return <LoadingRows />;
  if (state.status === "failed") return <ProblemPanel error={state.error} onRetry={reload} />;
  const { lines, more } = state.value;
  if (lines == null) return <p className={styles.hint}>{texts.tooOld}</p>;
  if (lines.length === 0) return <p className={styles.hint}>{texts.noLines}</p>;
  return (
    <>
      <ul className={styles.lines}>
        {lines.map((line, at) => (
          <Line key={`${at} ${line.sentence}`} line={line} />
        ))}
      </ul>
      {more > 0 && <p className={styles.hint}>{texts.more(more)}</p>}
    </>
  );
}

function Line({ line: { title, kind, sentence, before, after } }: { line: HistoryLine }) {
  const isLong = (before?.length ?? 0) + (after?.length ?? 0) > 60;
  return (
    <li data-kind={kind}>
      {title != null && <small>{visible(title)}</small>}
      <p>{visible(sentence)}</p>
      {kind === "changed" && isLong && (
        <dl>
          <div>
            <dt>{texts.was}</dt>
            <dd>{before == null ? words.inspector.nothing : visible(before)}</dd>
          </div>
          <div>
            <dt>{texts.is}</dt>
            <dd>{after == null ? words.inspector.nothing : visible(after)}</dd>
          </div>
        </dl>
      )}
    </li>
  );
}
