// What happened to the site, and taking it back; links to drafts.
import type { Client } from "../api/client";
import type { HistoryChange, HistoryItem, HistoryPage, Link, Links, Reverted } from "../generated/api";
import { newRevertId, type RevertTarget } from "./revert-id";

export interface HistoryApi {
  list(before?: number, limit?: number): Promise<HistoryPage>;
  change(seq: number): Promise<HistoryChange>;
  revert(target: RevertTarget): Promise<Reverted>;
  previewLink(pageId: string, hours: number): Promise<Link>;
  previewLinks(pageId: string): Promise<Links>;
  withdrawLink(id: string): Promise<void>;
}

const LIMIT = 50;

export function createHistoryApi(client: Client): HistoryApi {
  return {
    list: (before, limit = LIMIT) => client.get("/admin/api/site/history", { query: { limit, before } }),
    change: (seq) => client.get("/admin/api/site/history/{seq}", { params: { seq: String(seq) } }),
    revert: (target) => client.post("/admin/api/site/reverts", { body: { id: newRevertId(target), ...target } }),
    previewLink: (pageId, hours) => client.post("/admin/api/site/preview-link", { body: { pageId, hours } }),
    previewLinks: (pageId) => client.get("/admin/api/site/preview-links", { query: { pageId } }),
    withdrawLink: (id) => client.delete("/admin/api/site/preview-links/{id}", { params: { id } }),
  };
}

/** Changes of one turn, or of one author without a turn, that stand together. */
export interface HistoryEntry {
  turn?: string;
  changes: HistoryItem[];
}

export interface HistoryDay {
  /** The beginning of the day, in the reader's time zone. */
  day: number;
  entries: HistoryEntry[];
}

/** The changes by day and turn, the newest first. */
export function byDay(changes: readonly HistoryItem[]): HistoryDay[] {
  const days: HistoryDay[] = [];
  for (const change of changes) {
    const day = new Date(change.at).setHours(0, 0, 0, 0);
    const turn = change.turn ?? undefined;
    let current = days.at(-1);
    if (current?.day !== day) {
      current = { day, entries: [] };
      days.push(current);
    }
    const entry = current.entries.at(-1);
    const before = entry?.changes.at(-1);
    const belongs = entry?.turn === turn && before !== undefined && isSameAuthor(before, change);
    if (belongs) entry?.changes.push(change);
    else current.entries.push({ turn, changes: [change] });
  }
  return days;
}

function isSameAuthor({ author: one }: HistoryItem, { author: other }: HistoryItem): boolean {
  const idOf = (author: HistoryItem["author"]) => ("id" in author ? author.id : "");
  return one.kind === other.kind && idOf(one) === idOf(other);
}
