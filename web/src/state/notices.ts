// Short confirmations at the edge of the screen. Problems never go here: they stay beside what caused them.
import { createStore, type Store } from "./store";

export interface Notice {
  id: number;
  text: string;
}

export interface NoticeStore extends Pick<Store<readonly Notice[]>, "get" | "subscribe"> {
  show(text: string): void;
  dismiss(id: number): void;
}

const AT_MOST = 3;

export function createNoticeStore(): NoticeStore {
  const store = createStore<readonly Notice[]>([]);
  let nextId = 1;
  return {
    get: store.get,
    subscribe: store.subscribe,
    show(text) {
      store.set([...store.get(), { id: nextId++, text }].slice(-AT_MOST));
    },
    dismiss(id) {
      store.set(store.get().filter((notice) => notice.id !== id));
    },
  };
}
