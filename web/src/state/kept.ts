// Things a person has put away for good, such as the tour. Kept in this browser, for each person apart.
import { createStore, type Store } from "./store";

export interface KeptStore extends Pick<Store<ReadonlySet<string>>, "get" | "subscribe"> {
  /** Puts something away; it stays away. */
  put(name: string): void;
}

type Shelf = Pick<Storage, "getItem" | "setItem">;

export function createKept(storage: Shelf, person: string): KeptStore {
  const key = `sitewright.kept.${person}`;
  const store = createStore<ReadonlySet<string>>(stored(storage, key));
  return {
    get: store.get,
    subscribe: store.subscribe,
    put(name) {
      // Another tab may have put something away meanwhile.
      const kept = new Set([...stored(storage, key), ...store.get(), name]);
      store.set(kept);
      try {
        storage.setItem(key, JSON.stringify([...kept]));
      } catch {
        // Without storage it stays away until the page is left.
      }
    },
  };
}

function stored(storage: Shelf, key: string): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
  } catch {
    return new Set();
  }
}
