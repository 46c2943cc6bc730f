import { memo, useEffect } from "react";
import { type ItemRun, runInWords, runsOf } from "../../agent/agent-words";
import type { TurnOutcome } from "../../agent/events";
import { isUnderWay } from "../../agent/events";
import { failureOf, limitOf } from "../../agent/failures";
import type { Item, Turn } from "../../agent/transcript";
import { turnChangesOf } from "../../agent/turn-changes";
import { agent } from "../../app-state";
import type { AppliedPlan } from "../../generated/api";
import { words } from "../../glossary";
import { Button } from "../../parts/button/Button";
import { Icon } from "../../parts/icon/Icon";
import { Note } from "../../parts/problem/Problem";
import { ApprovalsInTurn } from "./ApprovalsInTurn";
import { ClosingCard, Cost } from "./ClosingCard";
import { FailureNote } from "./FailureNote";
import { Markdown } from "./Markdown";
import { PlanReview } from "./PlanReview";
import { ToolBadge } from "./ToolBadge";
import styles from "./Turn.module.css";

interface TurnViewProps {
  turn: Turn;
  outcome: TurnOutcome | undefined;
  /** Its plan, once that was accepted. */
  applied: AppliedPlan | undefined;
  /** Whether everything it did is taken back. */
  isReverted: boolean;
  isLast: boolean;
}

/** One request and everything that came of it. A turn that is over stays as it is while others go on. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, outcome, applied, isReverted } = props;
  const isOver = !isUnderWay(turn.status);
  useEffect(() => {
    if (isOver) void agent.chat.lookUp(turn.id);
  }, [isOver, turn.id]);
  const plan = turn.plan ?? outcome?.plan;
  return (
    <article className={styles.turn} aria-label={titleOf(turn)}>
      {runsOf(turn.items).map((run) => (
        <Run key={run.from} run={run} />
      ))}
      <ApprovalsInTurn approvals={turn.approvals} />
      {plan && <PlanReview turnId={turn.id} handedIn={plan} applied={applied} />}
      {isOver && <ClosingCard turn={turn} outcome={outcome} applied={applied?.receipt} isReverted={isReverted} />}
      {isOver && <Ending {...props} />}
    </article>
  );
});

function titleOf({ items: [first] }: Turn): string {
  return first?.kind === "user" && first.text !== "" ? first.text.slice(0, 80) : words.agent.name;
}

/** Items as they are shown; looks, and the same call many times in a row, are one line that opens. */
function Run({ run }: { run: ItemRun }) {
  const { items, kind } = run;
  if (kind === "single") {
    return items.map((item, position) => <ItemView key={`${position} ${item.kind}`} item={item} />);
  }
  return (
    <details className={styles.badge} data-status="ok">
      <summary>
        <Icon name="check" />
        <span>{runInWords(run)}</span>
      </summary>
      <div className={styles.run}>
        {items.map((item, position) => (
          <ItemView key={`${position} ${item.kind}`} item={item} />
        ))}
      </div>
    </details>
  );
}

const ItemView = memo(function ItemView({ item }: { item: Item }) {
  switch (item.kind) {
    case "user":
      return (
        <div className={styles.user}>
          <span className="visually-hidden">{words.agent.you}: </span>
          {item.images.length > 0 && (
            <div className={styles.images}>
              {item.images.map(({ mimeType, data }, position) => (
                <img key={position} src={`data:${mimeType};base64,${data}`} alt={words.agent.image(position + 1)} />
              ))}
            </div>
          )}
          {item.text !== "" && <p>{item.text}</p>}
        </div>
      );
    case "text":
      return (
        <div className={styles.text}>
          <Markdown text={item.text} />
        </div>
      );
    case "reasoning":
      return (
        <details className={styles.reasoning}>
          <summary>{words.agent.reasoning}</summary>
          <p>{item.text}</p>
        </details>
      );
    case "call":
      // What the tool says is shown as text already.
      return item.name === "finalAnswer" ? null : <ToolBadge call={item} />;
  }
});

/** How it ended, where that was not simply the end. */
function Ending({ turn, outcome, applied, isLast }: TurnViewProps) {
  switch (turn.status) {
    case "failed": {
      const failure = turn.failure ?? (outcome?.error ? { message: outcome.error } : undefined);
      if (failure === undefined) return null;
      return isLast ? <FailureNote failure={failureOf(failure)} /> : <Note tone="danger">{failure.message}</Note>;
    }
    case "budget":
      return isLast ? <FailureNote failure={limitOf(turn.limit ?? outcome?.limit ?? undefined)} /> : null;
    case "stopped":
      return <Note tone="plain">{words.agent.stopped}</Note>;
    case "interrupted":
      return (
        <div className={styles.interrupted}>
          <Note tone="caution">{words.agent.interrupted}</Note>
          {isLast && <Button onClick={() => void agent.chat.goOn()}>{words.agent.goOn}</Button>}
        </div>
      );
    default:
      if (outcome?.limit && isLast) return <FailureNote failure={limitOf(outcome.limit)} />;
      // The card of what changed tells the cost already.
      return turnChangesOf(turn, applied?.receipt) === undefined ? <Cost turn={turn} outcome={outcome} /> : null;
  }
}
