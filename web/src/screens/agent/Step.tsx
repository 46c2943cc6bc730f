import { useEffect, useState } from "react";
import { dollars, duration, shortNumber, stepInWords, tokensLeft, underWay } from "../../agent/agent-words";
import type { ChatState } from "../../agent/chat";
import type { Turn } from "../../agent/transcript";
import { words } from "../../glossary";
import styles from "./Panel.module.css";

/** What the turn under way is at, for how long, and what it may still use. */
export function Step({ chat }: { chat: ChatState }) {
  const turn = underWay(chat.transcript.turns);
  if (turn === undefined) return null;
  return (
    <div className={styles.step}>
      <span className={styles.pulse} aria-hidden="true" />
      <p role="status">{chat.link === "lost" ? words.agent.lost : stepInWords(turn)}</p>
      <small>
        <Elapsed since={turn.startedAt} />
        {leftOf(turn)}
      </small>
    </div>
  );
}

function leftOf(turn: Turn): string {
  const tokens = tokensLeft(turn);
  const usd = turn.budget?.priceKnown === true ? turn.budget.capUsd : null;
  const parts = [
    tokens !== undefined && words.agent.budgetLeft(shortNumber(tokens)),
    usd != null && words.agent.budgetUsd(dollars(usd)),
  ];
  return parts.flatMap((part) => (part === false ? [] : [` · ${part}`])).join("");
}

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <time>{duration(now - since)}</time>;
}
