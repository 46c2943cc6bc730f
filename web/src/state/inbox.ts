// What waits for a person, looked at every now and then while the page is visible. The number beside the menu entry and the screen
// of approvals show the same copy. Never decides anything by itself.
import type { Api } from "../api/api";
import { type ApiError, asApiError } from "../api/problem";
import type { Card, Decision } from "../generated/api";
import { isUnderWay, isWaiting } from "../words/call-words";
import { createStore, type Store } from "./store";

export interface Entry {
  card: Card;
  /** Why a decision made here was not taken: somebody was faster, or it was too late. */
  overtaken?: string;
}

export type InboxState =
  | { status: "loading" }
  | { status: "failed"; error: ApiError }
  | { status: "ready"; entries: readonly Entry[] };

/** What a page tells of itself. */
export interface PageSigns {
  isVisible(): boolean;
  /** Tells when the page is looked at again. */
  onReturn(listener: () => void): () => void;
  every(ms: number, run: () => void): () => void;
}

export interface InboxStore extends Pick<Store<InboxState>, "get" | "subscribe"> {
  /** Keeps looking until the answer is called. */
  watch(): () => void;
  refresh(): Promise<void>;
  /** Keeps what gets decided, here or elsewhere, among the rest until the answer is called, so that nothing vanishes under the eyes. */
  keepDecided(): () => void;
  /** Decides. Where somebody else was faster, answers what they decided instead of failing. */
  decide(id: string, decision: Decision): Promise<Entry>;
}

const EVERY_MS = 15_000;

export function createInboxStore(api: Pick<Api, "approvals" | "approval" | "decide">, page: PageSigns): InboxStore {
  const store = createStore<InboxState>({ status: "loading" });
  const entries = () => {
    const state = store.get();
    return state.status === "ready" ? state.entries : [];
  };
  /** Another one with each beginning and end of watching. */
  let watch = 0;
  let keeping = 0;
  let decisions = 0;
  let asking: Promise<void> | undefined;

  function refresh(): Promise<void> {
    if (asking !== undefined) return asking;
    const mine = ask().finally(() => {
      if (asking === mine) asking = undefined;
    });
    asking = mine;
    return mine;
  }

  async function ask(): Promise<void> {
    // An answer from before a decision, or for somebody who has left, is out of date.
    const [decided, watched] = [decisions, watch];
    try {
      const { approvals } = await api.approvals();
      const followed = await follow(approvals);
      if (watched !== watch) return;
      if (decided !== decisions) return await ask();
      store.set({ status: "ready", entries: keeping > 0 ? merged(approvals, followed) : approvals.map(asEntry) });
    } catch (error) {
      // What is shown stays; the next look may succeed.
      if (store.get().status !== "ready") store.set({ status: "failed", error: asApiError(error) });
    }
  }

  /** What became of cards that are shown and do not wait any more, or do not yet have an outcome. */
  async function follow(approvals: readonly Card[]): Promise<ReadonlyMap<string, Card | "gone">> {
    if (keeping === 0) return new Map();
    const lost = entries().filter(({ card }) => isUnderWay(card) && !approvals.some(({ id }) => id === card.id));
    const found = lost.map(async ({ card }): Promise<[string, Card | "gone"]> => {
      try {
        return [card.id, await api.approval(card.id)];
      } catch (error) {
        return [card.id, asApiError(error).status === 404 ? "gone" : card];
      }
    });
    return new Map(await Promise.all(found));
  }

  function merged(approvals: readonly Card[], followed: ReadonlyMap<string, Card | "gone">): Entry[] {
    const waiting = new Map(approvals.map((card) => [card.id, card]));
    const kept = entries().flatMap((entry): Entry[] => {
      const { id } = entry.card;
      const card = waiting.get(id) ?? followed.get(id) ?? entry.card;
      waiting.delete(id);
      return card === "gone" ? [] : [{ ...entry, card }];
    });
    return [...kept, ...[...waiting.values()].map(asEntry)];
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    refresh,
    watch() {
      watch += 1;
      const look = () => {
        if (page.isVisible()) void refresh();
      };
      void refresh();
      const ends = [page.every(EVERY_MS, look), page.onReturn(look)];
      return () => {
        watch += 1;
        asking = undefined;
        for (const end of ends) end();
        store.set({ status: "loading" });
      };
    },
    keepDecided() {
      keeping += 1;
      return () => {
        keeping -= 1;
        const state = store.get();
        if (keeping === 0 && state.status === "ready") {
          store.set({ status: "ready", entries: state.entries.filter(({ card }) => isWaiting(card)) });
        }
      };
    },
    async decide(id, decision) {
      const entry = await decideOrLook(id, decision);
      decisions += 1;
      const state = store.get();
      if (state.status === "ready") {
        const changed = state.entries.map((shown) => (shown.card.id === id ? entry : shown));
        store.set({ status: "ready", entries: changed });
      }
      void refresh();
      return entry;
    },
  };

  async function decideOrLook(id: string, decision: Decision): Promise<Entry> {
    try {
      return { card: await api.decide(id, decision) };
    } catch (error) {
      const refusal = asApiError(error);
      if (refusal.status !== 409) throw refusal;
      return { card: await api.approval(id), overtaken: refusal.message };
    }
  }
}

const asEntry = (card: Card): Entry => ({ card });

/** How many cards wait. */
export function waitingIn(state: InboxState): number {
  return state.status === "ready" ? state.entries.filter(({ card }) => isWaiting(card)).length : 0;
}

/** The signs of a browser's tab. */
export function tabSigns(window: Window): PageSigns {
  const { document } = window;
  return {
    isVisible: () => document.visibilityState === "visible",
    onReturn(listener) {
      window.addEventListener("focus", listener);
      document.addEventListener("visibilitychange", listener);
      return () => {
        window.removeEventListener("focus", listener);
        document.removeEventListener("visibilitychange", listener);
      };
    },
    every(ms, run) {
      const timer = window.setInterval(run, ms);
      return () => window.clearInterval(timer);
    },
  };
}
