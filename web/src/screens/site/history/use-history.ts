// The changes of the site, as far as they are loaded and match what is asked for.
import { useCallback, useState } from "react";
import { historyApi } from "../../../app-state";
import type { HistoryDocument, HistoryItem, HistoryPage } from "../../../generated/api";
import { type Action, useAction } from "../../../hooks/use-action";
import { type Resource, useResource } from "../../../hooks/use-resource";
import { authorKey } from "../../../site/history";

export interface HistoryFilter {
  author?: string;
  document?: string;
}

export interface FilterOptions {
  authors: Pick<HistoryItem, "author" | "authorName">[];
  documents: HistoryDocument[];
}

export interface HistoryState {
  pages: Resource<HistoryPage>;
  filter: HistoryFilter;
  setFilter(filter: HistoryFilter): void;
  options: FilterOptions;
  older: Action<[number]>;
}

/** How far back authors and pages are offered to filter by. */
const OPTIONS_LIMIT = 200;
const loadOptions = async () => filterOptions((await historyApi.list({ limit: OPTIONS_LIMIT })).changes);

export function useHistory(): HistoryState {
  const [filter, setFilter] = useState<HistoryFilter>({});
  const pages = useResource(useCallback(() => historyApi.list(filter), [filter]));
  const options = useResource(loadOptions);
  const older = useAction(async (before: number) => {
    const more = await historyApi.list({ ...filter, before });
    pages.replace((shown) => ({ ...more, changes: [...shown.changes, ...more.changes] }));
  });
  const offered = options.state.status === "ready" ? options.state.value : { authors: [], documents: [] };
  return { pages, filter, setFilter, options: offered, older };
}

/** Who made changes, the latest first, and the pages they touched, by title. */
export function filterOptions(changes: readonly HistoryItem[]): FilterOptions {
  const authors = new Map<string, FilterOptions["authors"][number]>();
  const documents = new Map<string, HistoryDocument>();
  for (const { author, authorName, documents: touched } of changes) {
    const key = authorKey(author);
    if (!authors.has(key)) authors.set(key, { author, authorName });
    for (const document of touched) documents.set(document.id, document);
  }
  const byTitle = (one: HistoryDocument, other: HistoryDocument) => one.title.localeCompare(other.title);
  return { authors: [...authors.values()], documents: [...documents.values()].sort(byTitle) };
}
