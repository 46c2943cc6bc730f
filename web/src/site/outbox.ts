// Changes that were made here and are not seen in the log yet. They are kept in the browser, so that neither a reload nor a lost
// network loses them; which of them were sent already does not matter, because the server takes each only once.
import type { Change, Entity } from "./model";

/** What a change relies on: an entry of the log, or a change that is itself on its way. */
export type Expected = { entity: Entity; rev: number } | { entity: Entity; after: string };

export interface Outgoing {
  change: Change;
  expects: Expected[];
}

export interface Outbox {
  /** All, the oldest first. */
  load(): Promise<Outgoing[]>;
  /** Keeps one, in the place of what was kept of it. */
  keep(outgoing: Outgoing): Promise<void>;
  forget(change: string): Promise<void>;
}

const STORE = "outgoing";
const VERSION = 1;

interface Row extends Outgoing {
  id: string;
  /** When it was made, for their order. */
  made: number;
}

/** The outbox of a person: whoever signs in next on this machine must not send it in their own name. */
export function openOutbox(person: string, factory: IDBFactory = indexedDB): Outbox {
  let opening: Promise<IDBDatabase> | undefined;
  const order = new Map<string, number>();
  let last = 0;

  function database(): Promise<IDBDatabase> {
    opening ??= new Promise((resolve, reject) => {
      const request = factory.open(`sitewright-outbox-${person}`, VERSION);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return opening;
  }

  async function within<T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const transaction = (await database()).transaction(STORE, mode, { durability: "strict" });
    const request = run(transaction.objectStore(STORE));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  /** Moments are not fine enough for two changes in a row. */
  function moment(): number {
    last = Math.max(last + 1, Date.now());
    return last;
  }

  return {
    async load() {
      const rows = await within<Row[]>("readonly", (store) => store.getAll());
      rows.sort((one, other) => one.made - other.made);
      for (const row of rows) order.set(row.id, row.made);
      return rows.map(({ change, expects }) => ({ change, expects }));
    },
    async keep(outgoing) {
      const { id } = outgoing.change;
      const made = order.get(id) ?? moment();
      order.set(id, made);
      await within("readwrite", (store) => store.put({ ...outgoing, id, made } satisfies Row));
    },
    async forget(change) {
      order.delete(change);
      await within("readwrite", (store) => store.delete(change));
    },
  };
}
