// Who else is here. A tab says where it is now and then; what the server answers, and what it tells in the stream of changes, is
// who is on which page and whose turn of the assistant is running.
import type { Client } from "../api/client";
import type { Present } from "../generated/api";
import { createStore, type Store } from "../state/store";
import { newChangeId } from "./model";

export interface Presence extends Pick<Store<Present>, "get" | "subscribe"> {
  /** Says that this tab shows a page, until the answer is called. */
  stay(page: string): () => void;
  /** Takes in what the server told. */
  tell(present: Present): void;
}

/** The server believes a tab for 50 seconds. */
const SAY_AGAIN_MS = 20_000;

export function createPresence(client: Client): Presence {
  const store = createStore<Present>({ people: [], turns: [] });
  const tab = newChangeId();
  /** Somebody may be on the next page before the last one is left. */
  let current = 0;

  async function say(page: string | null): Promise<void> {
    try {
      const present = await client.put("/admin/api/site/presence", { body: { page, tab } });
      if (page !== null) store.set(present);
    } catch {
      // Nothing rests on it: the next word may be heard.
    }
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    tell: store.set,
    stay(page) {
      const own = ++current;
      void say(page);
      const timer = setInterval(() => void say(page), SAY_AGAIN_MS);
      return () => {
        clearInterval(timer);
        setTimeout(() => own === current && void say(null));
      };
    },
  };
}
