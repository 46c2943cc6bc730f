// The activity log in sentences. The log keeps ids; names come from whoever is known and from the entries themselves.

import { toolWords } from "../agent/tool-words";
import type { AuditEntry } from "../generated/api";
import { type ActivityAbout, roleName, words } from "../glossary";

/** Names by id. */
export type Names = ReadonlyMap<string, string>;

/** The entries that say what something is called, and where in them. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "user.added": "email",
  "token.created": "name",
  "ai.credential.added": "label",
};

/** What is known about ids: the people there are, and what entries said of people and tokens that may be gone. */
export function namesFrom(people: readonly { id: string; name: string }[], entries: readonly AuditEntry[]): Names {
  const names = new Map<string, string>();
  for (const { action, subject, detail } of entries) {
    const field = NAMED_BY[action];
    const name = field === undefined ? undefined : text(detail, field);
    if (subject && name !== undefined) names.set(subject, name);
  }
  for (const { id, name } of people) names.set(id, name);
  return names;
}

/** What was done, as a line beside the name of whoever did it. */
export function whatHappened(entry: AuditEntry, names: Names): string {
  const subject = entry.subject ?? "";
  const role = text(entry.detail, "role");
  const about: ActivityAbout = {
    who: names.get(subject) ?? words.somebody,
    self: entry.actor === `user:${subject}`,
    subject,
    ...callWords(subject),
    name: text(entry.detail, "name") ?? names.get(subject),
    email: text(entry.detail, "email"),
    role: role === undefined ? undefined : roleName(role),
    siteName: text(entry.detail, "siteName"),
    address: text(entry.detail, "address"),
    by: text(entry.detail, "by"),
    number: count(entry.detail, "number"),
    count: count(entry.detail, "count"),
    model: text(entry.detail, "model"),
    label: text(entry.detail, "label") ?? names.get(subject),
  };
  return words.activity[entry.action]?.(about) ?? readable(entry.action);
}

/** A call of a tool in words; a connected tool has only its name. */
function callWords(tool: string): Pick<ActivityAbout, "doing" | "done"> {
  const { doing, done } = toolWords(tool) ?? words.agent.otherTool(tool);
  return { doing: doing.charAt(0).toLowerCase() + doing.slice(1), done };
}

export function whoDidIt(entry: AuditEntry): string {
  if (entry.actorName) return entry.actorName;
  if (entry.actor === "local") return words.actors.local;
  return entry.actor === "anonymous" ? words.actors.anonymous : words.actors.gone;
}

/** An entry in words, with how often the same happened in a row. */
export interface LogLine {
  /** Of the newest. */
  id: string;
  at: number;
  what: string;
  who: string;
  count: number;
}

/** The log in lines, the newest first. What somebody did many times in a row is one line. */
export function logLines(entries: readonly AuditEntry[], names: Names): LogLine[] {
  const lines: LogLine[] = [];
  for (const entry of entries) {
    const [what, who] = [whatHappened(entry, names), whoDidIt(entry)];
    const last = lines.at(-1);
    if (last?.what === what && last.who === who) last.count += 1;
    else lines.push({ id: entry.id, at: entry.at, what, who, count: 1 });
  }
  return lines;
}

/** An action this build has no sentence for: `garden.was_watered` reads "Garden was watered". */
function readable(action: string): string {
  const plain = action.replace(/[._]+/g, " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

function text(detail: unknown, key: string): string | undefined {
  if (typeof detail !== "object" || detail === null) return undefined;
  const value: unknown = Reflect.get(detail, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function count(detail: unknown, key: string): number | undefined {
  if (typeof detail !== "object" || detail === null) return undefined;
  const value: unknown = Reflect.get(detail, key);
  return typeof value === "number" ? value : undefined;
}
