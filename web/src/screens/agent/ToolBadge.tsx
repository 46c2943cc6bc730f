import { callInWords } from "../../agent/agent-words";
import type { CallItem } from "../../agent/transcript";
import { AnswerCard } from "../../parts/answer-card/AnswerCard";
import { Icon } from "../../parts/icon/Icon";
import { receiptLines } from "../../words/call-words";
import { Arguments } from "../approvals/Arguments";
import styles from "./Turn.module.css";

/** A call of a tool in plain words, with its outcome; everything else when somebody asks for it. */
export function ToolBadge({ call }: { call: CallItem }) {
  return (
    <>
      <CallFold call={call} />
      {call.card && <AnswerCard card={call.card} />}
    </>
  );
}

function CallFold({ call }: { call: CallItem }) {
  const { status, error } = call;
  const done = linesOf(call);
  return (
    <details className={styles.badge} data-status={status}>
      <summary>
        <Sign status={status} />
        <span>{callInWords(call)}</span>
      </summary>
      <div className={styles.more}>
        {error !== undefined && <p className={styles.error}>{error}</p>}
        {done.length > 0 && (
          <ul>
            {done.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        <Arguments value={call.input} />
        <code>{call.name}</code>
      </div>
    </details>
  );
}

function Sign({ status }: { status: CallItem["status"] }) {
  if (status === "pending") return <span className={styles.spinner} aria-hidden="true" />;
  return <Icon name={status === "ok" ? "check" : "alert"} />;
}

/** What it did, in the words that approvals use for the same. */
function linesOf({ receipt }: CallItem): string[] {
  return receipt === undefined ? [] : receiptLines(receipt);
}
