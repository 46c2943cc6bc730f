// Whether the person is being asked to confirm who they are. Requests that need it wait for one answer together.
import { createStore, type Store } from "./store";

export interface StepUpStore extends Pick<Store<boolean>, "get" | "subscribe"> {
  /** Asks, and answers whether the person confirmed. */
  ask(): Promise<boolean>;
  /** Called by the dialog when the person confirmed or gave up. */
  settle(confirmed: boolean): void;
}

export function createStepUpStore(): StepUpStore {
  const store = createStore(false);
  let waiting: ((confirmed: boolean) => void)[] = [];
  return {
    get: store.get,
    subscribe: store.subscribe,
    ask() {
      store.set(true);
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    settle(confirmed) {
      const answered = waiting;
      waiting = [];
      store.set(false);
      for (const resolve of answered) resolve(confirmed);
    },
  };
}
