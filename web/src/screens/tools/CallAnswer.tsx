import { Link } from "wouter";
import { readField } from "../../api/read-field";
import type { CalledTool } from "../../generated/api";
import { words } from "../../glossary";
import { AnswerCard } from "../../parts/answer-card/AnswerCard";
import { Card } from "../../parts/card/Card";
import { Note } from "../../parts/problem/Problem";
import { reasonOf, receiptLines } from "../../words/call-words";
import { visible } from "../../words/visible-text";
import { Arguments } from "../approvals/Arguments";
import styles from "./Tools.module.css";

/** What came of a call, in words first; everything that came back is shown as text. */
export function CallAnswer({ answer }: { answer: CalledTool }) {
  const { ok, data, error, receipt, images = [] } = answer;
  const waiting = approvalOf(answer);
  return (
    <div className={styles.form}>
      {ok && (
        <Note tone="calm">
          {[words.tools.ran(answer.latencyMs), ...(receipt ? [receiptLines(receipt).join(". ")] : [])].join(" ").trim()}
        </Note>
      )}
      {waiting !== undefined && (
        <Note tone="caution">
          {words.tools.waits} {reasonOf(error?.message ?? "")}{" "}
          <Link href={`/approvals/${waiting}`}>{words.tools.toTheCard}</Link>
        </Note>
      )}
      {error && waiting === undefined && <Note tone="danger">{visible(error.message)}</Note>}
      {answer.taint === "untrusted" && <Note tone="plain">{words.tools.fromOutside}</Note>}
      {answer.card && <AnswerCard card={answer.card} />}
      {data !== undefined && !answer.card && (
        <Card>
          <h3 className={styles.answerTitle}>{words.tools.answer}</h3>
          <Arguments value={data} />
        </Card>
      )}
      {images.length > 0 && <p>{words.tools.pictures(images.length)}</p>}
      <details className={styles.raw}>
        <summary>{words.tools.json}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <pre tabIndex={0}>{JSON.stringify({ ...answer, card: undefined, images: undefined }, null, 2)}</pre>
      </details>
    </div>
  );
}

/** The card of a call that waits for a person. */
function approvalOf({ error }: CalledTool): string | undefined {
  if (error?.code !== "approval_required") return undefined;
  const id = readField(readField(error.details, "approval"), "id");
  return typeof id === "string" ? id : undefined;
}
