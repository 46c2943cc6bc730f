// The newest records that fit a filter, kept up to date by the stream. Without React.
import type { BreadcrumbsApi, RecordFilter } from "../../../api/breadcrumbs-api";
import { type ApiError, asApiError } from "../../../api/problem";
import type { RecordView } from "../../../generated/api";
import { createStore, type Store } from "../../../state/store";

export interface LiveRecords {
  status: "loading" | "live" | "failed";
  records: readonly RecordView[];
  error?: ApiError;
}

export interface RecordChange {
  id: string;
  breadcrumb?: RecordView | null;
}

/** Older ones are dropped, so that a tab that stays open does not grow. */
const SHOWN_MAX = 200;
const BETWEEN_STREAMS_MS = 1000;

/** Puts a change into the list: the newest first, each record once. */
export function withChange(records: readonly RecordView[], change: RecordChange): RecordView[] {
  const others = records.filter((record) => record.id !== change.id);
  const { breadcrumb } = change;
  if (breadcrumb === null || breadcrumb === undefined) return others;
  const at = others.findIndex((record) => record.seq < breadcrumb.seq);
  const place = at === -1 ? others.length : at;
  return [...others.slice(0, place), breadcrumb, ...others.slice(place)].slice(0, SHOWN_MAX);
}

export interface FollowOptions {
  api: BreadcrumbsApi;
  filter: RecordFilter & { q?: string };
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** Loads the newest records and follows them until `stop`. */
export function followRecords({ api, filter, pause }: FollowOptions): { store: Store<LiveRecords>; stop(): void } {
  const store = createStore<LiveRecords>({ status: "loading", records: [] });
  const stopping = new AbortController();
  const { signal } = stopping;
  void run();
  return { store, stop: () => stopping.abort() };

  async function run(): Promise<void> {
    let after = 0;
    try {
      const page = await api.list({ ...filter, limit: SHOWN_MAX });
      after = page.breadcrumbs[0]?.seq ?? 0;
      store.set({ status: "live", records: page.breadcrumbs });
    } catch (error) {
      store.set({ status: "failed", records: [], error: asApiError(error) });
      return;
    }
    // A search by text is a look at what there is; the stream cannot filter by it.
    while (!signal.aborted && !filter.q) {
      const { q: _, ...query } = filter;
      try {
        for await (const told of api.follow({ ...query, after }, { signal, onOpen: () => undefined })) {
          if (told.event === "goingAway") continue;
          after = told.data.seq;
          const { records } = store.get();
          store.set({ status: "live", records: withChange(records, told.data) });
        }
      } catch (error) {
        // The next connection goes on after the last event that arrived. Events are kept for a while only: the newest record that fits
        // may be older than all of them, and then everything that is left is new.
        if (asApiError(error).code === "reload_required") after = 0;
      }
      await pause(BETWEEN_STREAMS_MS, signal);
    }
  }
}
