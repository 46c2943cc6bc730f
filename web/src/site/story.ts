// A log as a story: which entries belong together, and which cancel each other out. Pure; times and ids come with the entries.
import { redoneBy, undoneBy } from "./revert-id";

/** What grouping needs to know of an entry. */
export interface StoryEntry {
  /** In milliseconds since 1970. */
  at: number;
  author: string;
  /** The request to the assistant that it belongs to. */
  request?: string;
}

export interface Group<T> {
  request?: string;
  /** The newest first. */
  items: T[];
}

/** Someone who does nothing for this long and then goes on begins anew. */
const SITTING_GAP_MS = 10 * 60 * 1000;

/** Entries by request, or by author and sitting. Takes and returns the newest first. */
export function groupEntries<T>(newestFirst: readonly T[], entryOf: (item: T) => StoryEntry): Group<T>[] {
  const groups: Group<T>[] = [];
  const open = new Map<string, { group: Group<T>; at: number }>();
  for (const item of newestFirst) {
    const { at, author, request } = entryOf(item);
    const key = JSON.stringify([author, request ?? null]);
    const known = open.get(key);
    if (known !== undefined && (request !== undefined || known.at - at <= SITTING_GAP_MS)) {
      known.group.items.push(item);
      known.at = at;
      continue;
    }
    const group: Group<T> = { request, items: [item] };
    groups.push(group);
    open.set(key, { group, at });
  }
  return groups;
}

/** The beginning of a day, in the reader's time zone. */
const dayOf = (at: number) => new Date(at).setHours(0, 0, 0, 0);

/** The same by day. Whoever works past midnight has a group on either day. */
export function groupByDay<T>(
  newestFirst: readonly T[],
  entryOf: (item: T) => StoryEntry,
): { day: number; groups: Group<T>[] }[] {
  const days: { day: number; items: T[] }[] = [];
  for (const item of newestFirst) {
    const day = dayOf(entryOf(item).at);
    const last = days.at(-1);
    if (last?.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days.map(({ day, items }) => ({ day, groups: groupEntries(items, entryOf) }));
}

interface Revertible {
  id: string;
  turn?: string | null;
}

/** The changes that no longer count: those that were undone, with their undos and redos. Takes the newest first. */
export function cancelledChanges(newestFirst: readonly Revertible[]): ReadonlySet<string> {
  const present = new Set(newestFirst.flatMap(({ id, turn }) => (turn == null ? [id] : [id, turn])));
  const reverted = new Set<string>();
  const cancelled = new Set<string>();
  for (const { id, turn } of newestFirst) {
    const redone = redoneBy(id);
    const isReverted = reverted.has(id) || (turn != null && reverted.has(turn));
    const target = redone ?? (isReverted ? undefined : undoneBy(id));
    if (target !== undefined) reverted.add(target);
    // The undo of something older than what is listed is news of its own.
    if (isReverted || (target !== undefined && present.has(target))) cancelled.add(id);
  }
  return cancelled;
}
