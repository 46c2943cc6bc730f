// Hints a person has dismissed for good, such as the tour. The server stores them with the account.
import type { Api } from "../api/api";
import { createStore, type Store } from "./store";

export interface DismissedState {
  /** Whether the server has answered; until then no hint is shown, because it may have been dismissed. */
  isKnown: boolean;
  names: ReadonlySet<string>;
}

export interface DismissedStore extends Pick<Store<DismissedState>, "get" | "subscribe"> {
  /** Loads what a person has dismissed, once for each person. */
  load(person: string): void;
  dismiss(name: string): void;
  restore(name: string): void;
}

/** The stored value of a preference whose hint was dismissed. */
const AWAY = "away";
const UNKNOWN: DismissedState = { isKnown: false, names: new Set() };

export function createDismissedStore(api: Pick<Api, "account" | "changeAccount">): DismissedStore {
  const store = createStore<DismissedState>(UNKNOWN);
  let loadedFor: string | undefined;

  function save(name: string, value: string | null) {
    const others = [...store.get().names].filter((other) => other !== name);
    store.set({ isKnown: true, names: new Set(value === null ? others : [...others, name]) });
    // This tab remembers it in any case; a server that does not answer is not asked again for something this small.
    api.changeAccount({ preferences: { [name]: value } }).catch(() => undefined);
  }

  async function fetchNames(): Promise<ReadonlySet<string>> {
    const { preferences } = await api.account();
    return new Set(Object.entries(preferences).flatMap(([name, value]) => (value === AWAY ? [name] : [])));
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    load(person) {
      if (loadedFor === person) return;
      loadedFor = person;
      store.set(UNKNOWN);
      fetchNames()
        .catch(() => {
          // Screens must not wait for this: nothing counts as dismissed, and the next call of `load` tries again.
          if (loadedFor === person) loadedFor = undefined;
          return new Set<string>();
        })
        .then((names) => {
          if (loadedFor === person || loadedFor === undefined) store.set({ isKnown: true, names });
        });
    },
    dismiss: (name) => save(name, AWAY),
    restore: (name) => save(name, null),
  };
}
