import { useEffect, useState, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { callInWords, dollars } from "../../agent/agent-words";
import type { Receipt, Touched, TurnOutcome } from "../../agent/events";
import type { Turn } from "../../agent/transcript";
import { type TurnChanges, turnChangesOf } from "../../agent/turn-changes";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { Button } from "../../parts/button/Button";
import { ProblemNote } from "../../parts/problem/Problem";
import { openSync, revertChanges } from "../../site/open-sync";
import { BeforeAfter } from "./BeforeAfter";
import styles from "./Turn.module.css";

interface ClosingCardProps {
  turn: Turn;
  outcome: TurnOutcome | undefined;
  /** What its plan did after it was accepted. */
  applied: Receipt | undefined;
  isReverted: boolean;
}

/** What a turn that changed something has done, and the way to take all of it back. */
export function ClosingCard({ turn, outcome, applied, isReverted }: ClosingCardProps) {
  const changes = turnChangesOf(turn, applied);
  useTouches();
  if (changes === undefined) return null;
  const { pages, elements, content, styles: shared, files } = changes;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and this is not a form.
    <div role="group" className={styles.closing} aria-label={words.agent.closing}>
      <h3>{words.agent.closing}</h3>
      <dl>
        <Things title={words.agent.pagesAdded} things={pages.added} isLinked />
        <Things title={words.agent.pagesChanged} things={pages.changed} isLinked />
        <Things title={words.agent.pagesRemoved} things={pages.removed} />
        <Things title={words.agent.onPages} things={pagesHolding(changes)} isLinked />
        <Things title={words.agent.elementsAdded(elements.added.length)} things={elements.added} />
        <Things title={words.agent.elementsChanged(elements.changed.length)} things={elements.changed} />
        <Things title={words.agent.elementsRemoved(elements.removed.length)} things={elements.removed} />
        <Things title={words.agent.contentAdded} things={content.added} isLinked />
        <Things title={words.agent.contentChanged} things={content.changed} isLinked />
        <Things title={words.agent.contentRemoved} things={content.removed} />
        <Things title={words.agent.codeFiles} things={files} />
      </dl>
      {changes.touchesSettings && <p>{words.agent.settingsChanged}</p>}
      <Styles shared={shared} />
      <Lines title={words.agent.refusedCalls} lines={refusedLines(changes)} />
      <Lines title={words.agent.notes} lines={changes.notes} />
      <BeforeAfter turnId={turn.id} />
      <footer>
        <Cost turn={turn} outcome={outcome} />
        <Revert turnId={turn.id} isReverted={isReverted} />
      </footer>
    </div>
  );
}

/** Looks again when the open site changes, which knows more then. */
function useTouches() {
  const sync = useSyncExternalStore(openSync.subscribe, openSync.get);
  const [, setCount] = useState(0);
  useEffect(() => sync?.onTouched(() => setCount((count) => count + 1)), [sync]);
}

/** The pages that what was touched stands on, as far as the open editor knows them, besides those that are named already. */
function pagesHolding({ elements, pages }: TurnChanges): Touched[] {
  const sync = openSync.get();
  if (sync?.get().phase !== "ready") return [];
  const copy = sync.copy();
  const named = new Set([...pages.added, ...pages.changed].map(({ id }) => id));
  const nodes = [...elements.added, ...elements.changed];
  const holds = (page: string) => copy.isOpen(page) && nodes.some(({ id }) => copy.node(page, id) !== undefined);
  return copy
    .pages()
    .flatMap(({ id, title }) => (!named.has(id) && holds(id) ? [{ kind: "page", id, name: title }] : []));
}

const THINGS_SHOWN = 5;

/** Where things are opened, by their kind. */
const PATHS: Readonly<Record<string, string>> = { page: "/site", entry: "/content/entry" };

function Thing({ thing: { id, name }, path }: { thing: Touched; path: string | undefined }) {
  // The class that carries an element's own styles says nothing to anyone.
  const label = name?.replace(/\.n-[0-9a-z]{12}$/, "") ?? id;
  return path === undefined ? label : <Link href={`${path}/${id}`}>{label}</Link>;
}

function Things({
  title,
  things,
  isLinked = false,
}: {
  title: string;
  things: readonly Touched[];
  isLinked?: boolean;
}) {
  if (things.length === 0) return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {things.slice(0, THINGS_SHOWN).map((thing) => (
          <span key={thing.id}>
            <Thing thing={thing} path={isLinked ? PATHS[thing.kind] : undefined} />
          </span>
        ))}
        {things.length > THINGS_SHOWN && <span>{words.approvals.more(things.length - THINGS_SHOWN)}</span>}
      </dd>
    </div>
  );
}

const STYLES_SHOWN = 6;

function Styles({ shared }: { shared: TurnChanges["styles"] }) {
  if (shared.length === 0) return null;
  const first = shared.toSorted((one, other) => other.alsoUsedIn - one.alsoUsedIn).slice(0, STYLES_SHOWN);
  return (
    <div>
      <h4>{words.agent.styles}</h4>
      <ul>
        {first.map(({ id, name, alsoUsedIn }) => (
          <li key={id}>
            <code>{name}</code> {alsoUsedIn > 0 && <small>{words.agent.usedElsewhere(alsoUsedIn)}</small>}
          </li>
        ))}
        {shared.length > STYLES_SHOWN && <li>{words.approvals.more(shared.length - STYLES_SHOWN)}</li>}
      </ul>
    </div>
  );
}

function refusedLines({ refused, sanitised }: TurnChanges): string[] {
  return [
    ...refused.map((call) => `${callInWords(call)}. ${call.error ?? ""}`),
    ...sanitised.map(({ what, count }) => words.agent.leftOut(what, count)),
  ];
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h4>{title}</h4>
      <ul>
        {[...new Set(lines)].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

/** What it cost; built-in commands cost nothing and say nothing. */
export function Cost({ turn, outcome }: { turn: Turn; outcome: TurnOutcome | undefined }) {
  if (!outcome?.provider || outcome.provider === "offline") return null;
  const usd = outcome.costUsd ?? turn.usage?.costUsd;
  return <small className={styles.cost}>{usd == null ? words.agent.costUnknown : dollars(usd)}</small>;
}

/** The way to take everything back, until that is done: here, in the history, by Undo or by the assistant. */
function Revert({ turnId, isReverted }: { turnId: string; isReverted: boolean }) {
  const [left, setLeft] = useState<number>();
  // The history knows of it a moment later, and what is redone can be reverted again.
  const [wasReverted, setWasReverted] = useState(isReverted);
  if (wasReverted !== isReverted) {
    setWasReverted(isReverted);
    if (!isReverted) setLeft(undefined);
  }
  const reverting = useAction(async () => {
    const answer = await revertChanges({ turn: turnId });
    setLeft(answer.left.length);
    agent.noteChange();
  });
  return (
    <div className={styles.revert}>
      <ProblemNote problem={reverting.problem} />
      {!isReverted && left === undefined ? (
        <Button icon="undo" busy={reverting.pending} onClick={() => reverting.run()}>
          {words.agent.revert}
        </Button>
      ) : (
        <p role="status">
          {left === undefined || left === 0 ? words.agent.reverted : words.agent.revertedInPart(left)}
        </p>
      )}
    </div>
  );
}
