// Things a person has put away for good, such as the tour. The server remembers them with the account.
import type { Api } from "../api/api";
import { createStore, type Store } from "./store";

export interface KeptState {
  /** Whether the server has said what is away; until then nothing that may be away is shown. */
  isKnown: boolean;
  away: ReadonlySet<string>;
}

export interface KeptStore extends Pick<Store<KeptState>, "get" | "subscribe"> {
  /** Asks for what a person has put away, once for each person. */
  load(person: string): void;
  putAway(name: string): void;
  bringBack(name: string): void;
}

const AWAY = "away";
const UNKNOWN: KeptState = { isKnown: false, away: new Set() };

export function createKept(api: Pick<Api, "account" | "changeAccount">): KeptStore {
  const store = createStore<KeptState>(UNKNOWN);
  let asked: string | undefined;

  function remember(name: string, value: string | null) {
    const { away } = store.get();
    const others = [...away].filter((other) => other !== name);
    store.set({ isKnown: true, away: new Set(value === null ? others : [...others, name]) });
    // It holds in this tab in any case; a server that does not answer is told of the next thing instead.
    api.changeAccount({ preferences: { [name]: value } }).catch(() => undefined);
  }

  async function awayFor(): Promise<ReadonlySet<string>> {
    const { preferences } = await api.account();
    return new Set(Object.entries(preferences).flatMap(([name, value]) => (value === AWAY ? [name] : [])));
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    load(person) {
      if (asked === person) return;
      asked = person;
      store.set(UNKNOWN);
      awayFor()
        .catch(() => {
          // A screen must not wait for this: everything counts as there, and whoever wants to know next asks again.
          if (asked === person) asked = undefined;
          return new Set<string>();
        })
        .then((away) => {
          if (asked === person || asked === undefined) store.set({ isKnown: true, away });
        });
    },
    putAway: (name) => remember(name, AWAY),
    bringBack: (name) => remember(name, null),
  };
}
