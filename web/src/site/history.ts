// What happened to the site, and taking it back; links to drafts.
import type { Client } from "../api/client";
import type {
  Author,
  HistoryChange,
  HistoryDocument,
  HistoryItem,
  HistoryPage,
  Link,
  Links,
  Reverted,
} from "../generated/api";
import { isRevert, newRevertId, type RevertTarget } from "./revert-id";
import { cancelledChanges, type Group, groupByDay, groupEntries, type StoryEntry } from "./story";

export interface HistoryQuery {
  before?: number;
  limit?: number;
  /** Only changes by this author, as `authorKey` names them. */
  author?: string;
  /** Only changes of this page or template. */
  document?: string;
}

export interface HistoryApi {
  list(query?: HistoryQuery): Promise<HistoryPage>;
  change(seq: number): Promise<HistoryChange>;
  revert(target: RevertTarget): Promise<Reverted>;
  previewLink(pageId: string, hours: number): Promise<Link>;
  previewLinks(pageId: string): Promise<Links>;
  withdrawLink(id: string): Promise<void>;
}

const LIMIT = 50;

export function createHistoryApi(client: Client): HistoryApi {
  return {
    list: (query = {}) => client.get("/admin/api/site/history", { query: { limit: LIMIT, ...query } }),
    change: (seq) => client.get("/admin/api/site/history/{seq}", { params: { seq: String(seq) } }),
    revert: (target) => client.post("/admin/api/site/reverts", { body: { id: newRevertId(target), ...target } }),
    previewLink: (pageId, hours) => client.post("/admin/api/site/preview-link", { body: { pageId, hours } }),
    previewLinks: (pageId) => client.get("/admin/api/site/preview-links", { query: { pageId } }),
    withdrawLink: (id) => client.delete("/admin/api/site/preview-links/{id}", { params: { id } }),
  };
}

/** Changes that were made together: for one request, or by one author in one sitting. */
export interface HistoryEntry {
  turn?: string;
  /** Those that still count, the newest first. */
  changes: HistoryItem[];
  /** Those that were undone, and the undos. */
  undone: HistoryItem[];
  /** The pages and templates that they touched. */
  documents: HistoryDocument[];
}

export interface HistoryDay {
  /** The beginning of the day, in the reader's time zone. */
  day: number;
  entries: HistoryEntry[];
}

const entryOf = (change: HistoryItem): StoryEntry => ({
  at: change.at,
  author: authorKey(change.author),
  request: change.turn ?? undefined,
});

/** The changes by day, then by request or sitting, the newest first. */
export function byDay(changes: readonly HistoryItem[]): HistoryDay[] {
  const cancelled = cancelledChanges(changes);
  return groupByDay(changes, entryOf).map(({ day, groups }) => ({
    day,
    entries: groups.map((group) => historyEntry(group, cancelled)).filter(isWorthListing),
  }));
}

/** The changes by request or sitting, without those that were undone. */
export function recentEntries(changes: readonly HistoryItem[]): HistoryEntry[] {
  const cancelled = cancelledChanges(changes);
  const entries = groupEntries(changes, entryOf).map((group) => historyEntry(group, cancelled));
  return entries.filter((entry) => entry.changes.length > 0);
}

/** Undos alone say nothing that what they undid does not say. */
function isWorthListing({ changes, undone }: HistoryEntry): boolean {
  return changes.length > 0 || undone.some(({ id }) => !isRevert(id));
}

function historyEntry({ request, items }: Group<HistoryItem>, cancelled: ReadonlySet<string>): HistoryEntry {
  const changes = items.filter(({ id }) => !cancelled.has(id));
  const documents = new Map(
    (changes.length > 0 ? changes : items).flatMap((item) => item.documents.map((one) => [one.id, one])),
  );
  return {
    turn: request,
    changes,
    undone: items.filter(({ id }) => cancelled.has(id)),
    documents: [...documents.values()],
  };
}

/** An author as the API names them in queries. */
export function authorKey(author: Author): string {
  return author.kind === "local" ? "local" : `${author.kind}:${author.id}`;
}

/** What changes say they did, each once with how often, in the order in which it happened first. */
export function summariesOf(changes: readonly HistoryItem[]): { summary: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { summary } of changes.toReversed()) counts.set(summary, (counts.get(summary) ?? 0) + 1);
  return [...counts].map(([summary, count]) => ({ summary, count }));
}
