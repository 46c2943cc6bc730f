// Calls, times and sums of a turn in words.
import { words } from "../glossary";
import { visible } from "../words/visible-text";
import { isUnderWay } from "./events";
import { toolWords } from "./tool-words";
import type { CallItem, Item, Turn } from "./transcript";

/** What a call does, or has done, with the name of what it is about where the model gave one. */
export function callInWords({ name, status, input, decision }: CallItem): string {
  const { doing, done } = toolWords(name) ?? words.agent.otherTool(visible(name));
  const about = nameIn(input);
  const said = {
    pending: doing,
    ok: done,
    error: (decision === "denied" ? words.agent.denied : words.agent.failed)(doing),
  };
  return about === undefined ? said[status] : `${said[status]}: “${about}”`;
}

const NAMES = ["title", "label", "path", "text"] as const;
const NAME_CHARS_MAX = 40;

function nameIn(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  for (const key of NAMES) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value !== "string" || value.trim() === "") continue;
    const text = visible(value.trim().replace(/\s+/g, " "));
    return text.length > NAME_CHARS_MAX ? `${text.slice(0, NAME_CHARS_MAX - 1)}…` : text;
  }
  return undefined;
}

/** What a turn under way is at. */
export function stepInWords(turn: Turn): string {
  if (turn.status === "waiting") return words.agent.waitingForYou;
  if (turn.retry !== undefined) return words.agent.retrying(turn.retry.reason);
  const last = turn.items.at(-1);
  if (last?.kind === "call" && last.status === "pending") return callInWords(last);
  return last?.kind === "text" ? words.agent.writing : words.agent.thinking;
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** 1,234,567 as 1.2M. */
export function shortNumber(value: number): string {
  if (value < 1000) return String(value);
  const [divisor, unit] = value < 999_500 ? [1000, "k"] : [1_000_000, "M"];
  const short = value / divisor;
  return `${short < 9.95 ? short.toFixed(1).replace(/\.0$/, "") : Math.round(short)}${unit}`;
}

export function dollars(usd: number): string {
  if (usd === 0) return "$0";
  return usd < 0.01 ? "less than $0.01" : `$${usd.toFixed(2)}`;
}

/** What is left of the turn's tokens, as far as its rounds have told. */
export function tokensLeft({ budget, tokensRead }: Turn): number | undefined {
  return budget === undefined ? undefined : Math.max(0, budget.capTokens - tokensRead);
}

/** What a person asked for last. */
export function lastRequest(turns: readonly Turn[]): string | undefined {
  for (const turn of turns.toReversed()) {
    const asked = turn.items.findLast((item) => item.kind === "user");
    if (asked?.kind === "user" && asked.text !== "") return asked.text;
  }
  return undefined;
}

export function underWay(turns: readonly Turn[]): Turn | undefined {
  const last = turns.at(-1);
  return last !== undefined && isUnderWay(last.status) ? last : undefined;
}

/** From how many on calls in a row become one line. */
const RUN_MIN = 3;

/** The items in their order, with what is the same call done many times in a row together. */
export function runsOf(items: readonly Item[]): { from: number; items: Item[] }[] {
  const runs: { from: number; items: Item[] }[] = [];
  const isDone = (item: Item | undefined): item is CallItem => item?.kind === "call" && item.status === "ok";
  for (let from = 0; from < items.length; ) {
    const first = items[from];
    let end = from + 1;
    if (isDone(first)) {
      for (let next = items[end]; isDone(next) && next.name === first.name; next = items[end]) end += 1;
    }
    const together = items.slice(from, end);
    if (together.length >= RUN_MIN) runs.push({ from, items: together });
    else for (const [offset, item] of together.entries()) runs.push({ from: from + offset, items: [item] });
    from = end;
  }
  return runs;
}
