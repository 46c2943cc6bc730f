import { useState } from "react";
import { Link } from "wouter";
import { words } from "../../glossary";
import { Button } from "../../parts/button/Button";
import { Note } from "../../parts/problem/Problem";
import { textEntity } from "../../site/model";
import type { Sync, SyncProblem } from "../../site/sync";
import styles from "./Site.module.css";
import { useSyncState } from "./use-sync";

/** What did not come to be, with the words that would otherwise be lost. */
export function SyncProblems({ sync }: { sync: Sync }) {
  const { problems, outdated, damage } = useSyncState(sync);
  return (
    <div className={styles.problems} role="alert">
      {damage !== undefined && (
        <Note tone="danger">
          <p>{words.site.damage(damage.entry)}</p>
          <div className={styles.answers}>
            <Link href="/settings/system">{words.site.damageRemedy}</Link>
          </div>
        </Note>
      )}
      {outdated && (
        <Note tone="caution">
          <p>{words.site.outdated}</p>
          <div className={styles.answers}>
            <Button onClick={() => window.location.reload()}>{words.site.reload}</Button>
          </div>
        </Note>
      )}
      {problems.map((problem) => (
        <Note key={problem.id} tone="caution">
          <p>{problem.message}</p>
          {problem.text !== undefined && <Versions sync={sync} problem={problem} text={problem.text} />}
          <Answers sync={sync} problem={problem} />
        </Note>
      ))}
    </div>
  );
}

type Written = NonNullable<SyncProblem["text"]>;

function Versions({ sync, problem, text }: { sync: Sync; problem: SyncProblem; text: Written }) {
  const theirs = problem.conflict ? sync.copy().field(textEntity(text.place), "text") : undefined;
  return (
    <dl className={styles.versions}>
      <div>
        <dt>{words.site.yours}</dt>
        <dd>{text.mine.trim()}</dd>
      </div>
      {typeof theirs === "string" && (
        <div>
          <dt>{words.site.theirs}</dt>
          <dd>{theirs.trim()}</dd>
        </div>
      )}
    </dl>
  );
}

function Answers({ sync, problem: { id, text, conflict } }: { sync: Sync; problem: SyncProblem }) {
  const dismiss = () => sync.dismiss(id);
  const takeMine = ({ place, mine }: Written) => {
    sync.putText(place, mine, sync.textBase(place));
    dismiss();
  };
  return (
    <div className={styles.answers}>
      {text !== undefined && conflict && (
        <Button look="primary" onClick={() => takeMine(text)}>
          {words.site.takeMine}
        </Button>
      )}
      {text !== undefined && <CopyButton text={text.mine} />}
      <Button onClick={dismiss}>{conflict ? words.site.keepTheirs : words.site.dismiss}</Button>
    </div>
  );
}

/** Plain http off loopback has no clipboard; the text above can be selected by hand there. */
function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = () => void navigator.clipboard.writeText(text.trim()).then(() => setCopied(true));
  return (
    <Button icon={copied ? "check" : "copy"} onClick={copy}>
      {copied ? words.actions.copied : words.actions.copy}
    </Button>
  );
}
