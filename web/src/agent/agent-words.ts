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

/** Items that are shown as one line, or a single one. */
export interface ItemRun {
  from: number;
  items: Item[];
  /** What the line says of several. */
  kind: "single" | "repeated" | "reading";
}

/** From how many on the same call in a row becomes one line. */
const REPEATED_MIN = 3;
/** From how many on looks in a row become one line. */
const READING_MIN = 2;

/** The items in their order. What only looked is one line, and so is the same call done many times in a row. */
export function runsOf(items: readonly Item[]): ItemRun[] {
  const runs: ItemRun[] = [];
  for (let from = 0; from < items.length; ) {
    const reading = lengthOfRun(items, from, isReading);
    const first = items[from];
    const repeated = lengthOfRun(items, from, (item) => isDone(item) && isDone(first) && item.name === first.name);
    const [kind, length] =
      reading >= READING_MIN
        ? (["reading", reading] as const)
        : repeated >= REPEATED_MIN
          ? (["repeated", repeated] as const)
          : (["single", 1] as const);
    runs.push({ from, kind, items: items.slice(from, from + length) });
    from += length;
  }
  return runs;
}

const isDone = (item: Item | undefined): item is CallItem => item?.kind === "call" && item.status === "ok";
/** What a connected tool answered is worth seeing, so it is never folded. */
const isReading = (item: Item) => isDone(item) && toolWords(item.name)?.readsOnly === true && item.card === undefined;

function lengthOfRun(items: readonly Item[], from: number, belongs: (item: Item) => boolean): number {
  const end = items.findIndex((item, position) => position >= from && !belongs(item));
  return (end === -1 ? items.length : end) - from;
}

/** The line of several calls. */
export function runInWords({ kind, items }: ItemRun): string {
  const [first] = items;
  if (kind === "reading" || first?.kind !== "call") return words.agent.lookedAt(items.length);
  return words.agent.times(callInWords({ ...first, input: undefined }), items.length);
}
