// A call of a tool in words: who asks, what it would do, why it asks, what came of it. The names in it were written by others.
import { toolWords } from "../agent/tool-words";
import type { CallInfo, Card, Receipt } from "../generated/api";
import { words } from "../glossary";
import { confirmationOf } from "./confirmation";
import { visible } from "./visible-text";

export type Tone = "calm" | "plain" | "caution" | "danger";

export function isWaiting(card: Card): boolean {
  return card.calls.some((call) => call.state === "waiting");
}

/** Whether more will come of it by itself. */
export function isUnderWay(card: Card): boolean {
  return card.calls.some((call) => ["waiting", "ready", "running"].includes(call.state));
}

/** Whether somebody can still say yes or no. */
export function isOpen(card: Card, now: number): boolean {
  return card.calls.some((call) => call.state === "waiting" && (call.expiresAt ?? Number.POSITIVE_INFINITY) > now);
}

/** Whoever called; the assistant acts for a person, whose name alone would look as if they had done it. */
export function whoCalls(call: CallInfo, viewer?: string): string {
  const name = call.callerName ? visible(call.callerName) : undefined;
  if (!isAssistant(call)) return name ?? (call.caller === "local" ? words.actors.local : words.actors.gone);
  if (viewer !== undefined && call.caller === `user:${viewer}`) return words.actors.assistantForYou;
  return name === undefined ? words.actors.assistant : words.actors.assistantFor(name);
}

/** Whether our assistant called, and not an agent with a token of its own. */
export function isAssistant({ caller, callerKind }: CallInfo): boolean {
  return callerKind === "agent" && !caller.startsWith("token:");
}

export function toolTitle(call: CallInfo): string {
  return visible(call.title || call.tool);
}

/** A run by what it did, once it has done it. */
export function runTitle(call: CallInfo): string {
  return (call.state === "done" ? toolWords(call.tool)?.done : undefined) ?? toolTitle(call);
}

/** Calls that only looked and went well, and all others, in their order. */
export function splitLooks(calls: readonly CallInfo[]): { looks: CallInfo[]; others: CallInfo[] } {
  const isLook = ({ tool, state }: CallInfo) => state === "done" && toolWords(tool)?.readsOnly === true;
  return { looks: calls.filter(isLook), others: calls.filter((call) => !isLook(call)) };
}

/** What would happen, the gravest first; nothing for a tool that works elsewhere, of which nothing is known beforehand. */
export function consequences(call: CallInfo): string[] {
  const preview = fields(call.preview);
  if (preview === undefined || confirmationOf(preview) !== undefined) return [];
  const lines = linesOf(preview, words.approvals.would);
  return lines.length === 0 ? [words.approvals.unnamed] : lines;
}

/** What a call did, as far as its answer or its preview says. */
export function effects(call: CallInfo): string[] {
  const { receipt } = call.outcome ?? {};
  return receipt ? linesOf({ ...fields(call.preview), receipt }, words.approvals.did) : consequences(call);
}

/** What a call did, from its receipt alone; nothing for one that only looked. */
export function receiptLines(receipt: Receipt): string[] {
  return linesOf({ receipt }, words.approvals.did);
}

/** The words for what would happen, or for what has. */
type Verbs = typeof words.approvals.would | typeof words.approvals.did;

function linesOf(preview: Readonly<Record<string, unknown>>, say: Verbs): string[] {
  if (Array.isArray(preview.changes)) return publishLines(preview, say);
  const change = fields(preview.change) ?? {};
  const receipt = fields(preview.receipt) ?? {};
  const removed = touched(receipt.removed);
  const pagesRemoved = count(change.pagesRemoved);
  const nodesRemoved = count(change.nodesRemoved);
  const namedPages = [...removed, ...touched(receipt.changed), ...touched(receipt.created)].filter(isPage).length;
  const pagesTouched = count(change.pagesTouched);
  return [
    ...grouped(say.removes, removed, { page: pagesRemoved, node: nodesRemoved }),
    flag(change.publishes) && say.publishes,
    flag(change.codeTouched) && say.code,
    flag(change.headCode) && say.headCode,
    count(change.locksTouched) > 0 && say.locks(count(change.locksTouched)),
    touched(receipt.changed).some(isSite) && say.siteSettings,
    ...grouped(
      say.changes,
      touched(receipt.changed).filter((thing) => !isSite(thing)),
    ),
    ...grouped(say.adds, touched(receipt.created)),
    pagesTouched > Math.max(1, namedPages, pagesRemoved) && say.onPages(pagesTouched),
    sanitised(receipt.sanitised) > 0 && say.leavesOut(sanitised(receipt.sanitised)),
    ...list(receipt.notes).flatMap((note) => (typeof note === "string" ? [visible(note)] : [])),
  ].filter((line) => typeof line === "string");
}

/** What publishing, or going back, would change for visitors. */
function publishLines({ changes, problems }: Readonly<Record<string, unknown>>, say: Verbs): string[] {
  const all = list(changes).map((item) => fields(item) ?? {});
  const pages = (kind: string): Thing[] =>
    all.flatMap(({ change, title }) => {
      if (change !== kind) return [];
      return [typeof title === "string" && title !== "" ? { kind: "page", name: title } : { kind: "page" }];
    });
  const lines = [
    say.publishes,
    ...grouped(say.removes, pages("removed")),
    all.some(({ hasScripts }) => flag(hasScripts)) && words.publishing.scripts,
    all.some(({ tainted }) => flag(tainted)) && words.publishing.outside,
    ...grouped(say.changes, pages("changed")),
    ...grouped(say.adds, pages("new")),
    ...[...all.flatMap((item) => list(item.problems)), ...list(problems)].map((text) => visible(String(text))),
  ];
  return lines.filter((line) => typeof line === "string");
}

/** The sentences of the policy alone; without any, whatever was said. */
export function reasonOf(why: string): string {
  const reasons = why
    .replace(/ \(policy `[^`]*`\)/g, "")
    .replace(/\s*What mattered: .*$/s, "")
    .replace(/^It (needs a person's approval|runs)\.\s*/, "")
    .trim();
  return reasons === "" ? why : reasons;
}

/** What came of a call, with whoever let it run. */
export function outcomeOf(call: CallInfo): { text: string; tone: Tone } {
  const by = call.approvedBy && words.approvals.approvedBy(approver(call.approvedBy));
  const came = words.approvals.outcomes[call.state] ?? call.state;
  const reason = call.state === "failed" ? call.outcome?.error?.message : undefined;
  const text = [by, came, reason && visible(reason)]
    .filter((part) => typeof part === "string" && part !== "")
    .join(" ");
  return { text, tone: toneOf(call.state) };
}

export function toneOf(state: string): Tone {
  if (state === "failed") return "danger";
  if (state === "unknown") return "caution";
  return state === "done" ? "calm" : "plain";
}

/** When the first of the calls can no longer be answered. */
export function answerBy(card: Card): number | undefined {
  const ends = card.calls.flatMap((call) =>
    call.state === "waiting" && typeof call.expiresAt === "number" ? [call.expiresAt] : [],
  );
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function approver(name: string): string {
  return name === "local" ? words.somebodyAtTheServer : visible(name);
}

interface Thing {
  kind: string;
  name?: string;
}

const isSite = (thing: Thing) => thing.kind === "site";
const isPage = (thing: Thing) => thing.kind === "page";
const NAMES_MAX = 5;

/** A line per kind: how many, and what they are called. `atLeast` is what is known of a kind without names. */
function grouped(verb: string, things: readonly Thing[], atLeast: Readonly<Record<string, number>> = {}): string[] {
  const kinds = new Map<string, Thing[]>();
  for (const [kind, least] of Object.entries(atLeast)) if (least > 0) kinds.set(kind, []);
  for (const thing of things) kinds.set(thing.kind, [...(kinds.get(thing.kind) ?? []), thing]);
  return [...kinds].map(([kind, all]) => {
    const total = Math.max(all.length, atLeast[kind] ?? 0);
    const [one, many] = words.things[kind] ?? [visible(kind), visible(kind)];
    // The names of rules are selectors, which only their number makes readable.
    const named = kind === "rule" ? [] : all;
    const names = named.flatMap(({ name }) => (name === undefined ? [] : [nameInWords(kind, visible(name))]));
    const shown = names.slice(0, NAMES_MAX);
    if (names.length > NAMES_MAX) shown.push(words.approvals.more(names.length - NAMES_MAX));
    const called = shown.length === 0 ? "" : `: ${shown.join(", ")}`;
    return `${verb} ${total} ${total === 1 ? one : many}${called}`;
  });
}

/** A name in quotation marks. Elements without one come as a selector, which says less than a word for the tag. */
function nameInWords(kind: string, name: string): string {
  const [, tag, mark] = (kind === "node" && /^([a-z][a-z0-9]*)(?:[.#]([\w-]+))?$/.exec(name)) || [];
  if (tag === undefined) return `“${name}”`;
  const word = words.tags[tag] ?? tag;
  return mark === undefined ? word : `${word} “${mark}”`;
}

function touched(value: unknown): Thing[] {
  return list(value).flatMap((item) => {
    const { kind, name } = fields(item) ?? {};
    if (typeof kind !== "string") return [];
    return [typeof name === "string" && name !== "" ? { kind, name } : { kind }];
  });
}

function sanitised(value: unknown): number {
  return list(value).reduce<number>((sum, item) => sum + count(fields(item)?.count), 0);
}

function fields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const count = (value: unknown): number => (typeof value === "number" ? value : 0);
const flag = (value: unknown): boolean => value === true;
