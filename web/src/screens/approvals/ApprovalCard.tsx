import { useState } from "react";
import { Link } from "wouter";
import { may } from "../../access/permissions";
import { inbox } from "../../app-state";
import type { CallInfo, Card, Verdict } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { Checkbox } from "../../parts/choice/Choice";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import type { Entry } from "../../state/inbox";
import { answerBy, isOpen, isWaiting, outcomeOf, toolTitle, whoCalls } from "../../words/call-words";
import styles from "./Approvals.module.css";
import { Asker, CallBody } from "./CallBody";

const ALIKE_FOR_SECONDS = 60 * 60;

interface ApprovalCardProps {
  entry: Entry;
  onDecided(entry: Entry): void;
}

/** The calls of one round: what they would do and, while they wait, the decision about them. */
export function ApprovalCard({ entry, onDecided }: ApprovalCardProps) {
  const { card, overtaken } = entry;
  const { capabilities } = useSession();
  const [first] = card.calls;
  if (first === undefined) return null;
  const alone = card.calls.length === 1;
  const open = isOpen(card, Date.now());
  const ends = answerBy(card);
  return (
    <article className={styles.card} data-open={open} aria-labelledby={headingOf(card)}>
      <header className={styles.head}>
        <Asker call={first} />
        {open && ends !== undefined && (
          <p className={styles.until}>
            {words.approvals.noAnswer} <When at={ends} />
          </p>
        )}
      </header>
      <h2 id={headingOf(card)} tabIndex={-1}>
        {titleOf(card)}
      </h2>
      {alone ? (
        <CallBody call={first} />
      ) : (
        <ol className={styles.calls}>
          {card.calls.map((call) => (
            <li key={call.id}>
              <h3>{toolTitle(call)}</h3>
              <CallBody call={call} />
              {!open && <Outcome call={call} />}
            </li>
          ))}
        </ol>
      )}
      {overtaken !== undefined && <Note tone="caution">{overtaken}</Note>}
      {!open && alone && <Outcome call={first} />}
      {open && may(capabilities, { needs: "tools.approve" }) && <DecisionForm card={card} onDecided={onDecided} />}
      {open && !may(capabilities, { needs: "tools.approve" }) && (
        <p className={styles.faint}>Someone with permission to approve runs has to answer this.</p>
      )}
    </article>
  );
}

function DecisionForm({ card, onDecided }: { card: Card; onDecided(entry: Entry): void }) {
  const [alike, setAlike] = useState(false);
  const [verdict, setVerdict] = useState<Verdict>();
  const deciding = useAction(async (decision: Verdict) => {
    setVerdict(decision);
    const more = decision === "approve" && alike ? { alikeForSeconds: ALIKE_FOR_SECONDS } : {};
    onDecided(await inbox.decide(card.id, { decision, ...more }));
  });
  const waiting = card.calls.filter((call) => call.state === "waiting");
  const name = <span className="visually-hidden"> {titleOf(card)}</span>;
  const busy = (decision: Verdict) => deciding.pending && verdict === decision;
  return (
    <div className={styles.decision}>
      {waiting.every((call) => call.canBeGranted) && (
        <Checkbox
          label={
            <>
              {words.approvals.alike}
              <small>{words.approvals.alikeHint}</small>
            </>
          }
          checked={alike}
          onChange={(event) => setAlike(event.target.checked)}
        />
      )}
      <ProblemNote problem={deciding.problem} />
      <div className={styles.buttons}>
        <Button look="primary" busy={busy("approve")} onClick={() => deciding.run("approve")}>
          {words.actions.approve}
          {name}
        </Button>
        <Button busy={busy("deny")} onClick={() => deciding.run("deny")}>
          {words.actions.deny}
          {name}
        </Button>
      </div>
    </div>
  );
}

function Outcome({ call }: { call: CallInfo }) {
  const { text, tone } = settledOutcome(call);
  return (
    <Note tone={tone} icon={call.state === "denied" ? "close" : undefined}>
      {text} {call.state === "unknown" && <Link href="/approvals/unknown">{words.approvals.sayWhatCame}</Link>}
    </Note>
  );
}

/** A call that still waits when its time is over gets its no at the next look of the server. */
function settledOutcome(call: CallInfo) {
  return outcomeOf(call.state === "waiting" ? { ...call, state: "expired" } : call);
}

export function headingOf(card: Card): string {
  return `approval-${card.id}`;
}

/** The outcome of a decision, for screen readers. */
export function announcementOf({ card, overtaken }: Entry): string {
  const came = isWaiting(card) ? [] : card.calls.map((call) => `${toolTitle(call)}: ${outcomeOf(call).text}`);
  return [...(overtaken === undefined ? [] : [overtaken]), ...came].join(" ");
}

function titleOf(card: Card): string {
  const [first, ...more] = card.calls;
  if (first === undefined) return words.pages.approval;
  return more.length === 0 ? toolTitle(first) : words.approvals.asks(whoCalls(first), card.calls.length);
}
