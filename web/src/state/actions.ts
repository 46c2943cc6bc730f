// What can be done in the editor, in one list. Keyboard shortcuts, their list, menus and the command palette all read it, so an
// action is described once. Whoever owns an action registers it for as long as it can be done (`useActions`).
import type { IconName } from "../parts/icon/Icon";
import { createStore, type Store } from "./store";

/** The headings of the shortcuts list and the palette, in their order. */
export const ACTION_GROUPS = ["element", "page", "site", "view", "assistant"] as const;
export type ActionGroup = (typeof ACTION_GROUPS)[number];

export interface Action {
  /** Such as `element.delete`. */
  id: string;
  /** A verb first: "Delete element". A function where it depends on what is selected. */
  label: string | (() => string);
  group: ActionGroup;
  icon?: IconName;
  /** Such as `Mod+Shift+Z`, `Delete`, `?`; the first is the one that is shown. */
  keys?: readonly string[];
  /** Whether the browser does it for these keys, as for the clipboard, so that they are only shown. */
  areKeysNative?: boolean;
  /** Where its keys count: anywhere, or only with the focus on the canvas or the layers, as for Delete and Enter. */
  where?: "anywhere" | "elements";
  isDanger?: boolean;
  /** Whether it is left out of the menu of an element, as ways from one to the next are. */
  isNotInMenu?: boolean;
  /** Further words the palette finds it by. */
  keywords?: string;
  /** Whether it can be done now; always when left out. */
  isAvailable?(): boolean;
  run(): void | Promise<void>;
}

export interface Actions extends Pick<Store<readonly Action[]>, "subscribe"> {
  /** Adds actions until the answer is called. A known id is replaced while its newer owner is there. */
  register(actions: readonly Action[]): () => void;
  /** All of them, by group and in the order they came. */
  list(): readonly Action[];
  find(id: string): Action | undefined;
  /** Does one, if there is one by that name and it can be done. */
  run(id: string): void;
}

export function createActions(): Actions {
  const registered: (readonly Action[])[] = [];
  const store = createStore<readonly Action[]>([]);

  function refresh() {
    const byId = new Map<string, Action>();
    for (const action of registered.flat()) byId.set(action.id, action);
    const all = [...byId.values()];
    store.set(ACTION_GROUPS.flatMap((group) => all.filter((action) => action.group === group)));
  }

  const find = (id: string) => store.get().find((action) => action.id === id);
  return {
    subscribe: store.subscribe,
    register(actions) {
      registered.push(actions);
      refresh();
      return () => {
        registered.splice(registered.indexOf(actions), 1);
        refresh();
      };
    },
    list: store.get,
    find,
    run(id) {
      const action = find(id);
      if (action !== undefined && isAvailable(action)) void action.run();
    },
  };
}

export function isAvailable(action: Action): boolean {
  return action.isAvailable?.() ?? true;
}

export function labelOf({ label }: Action): string {
  return typeof label === "string" ? label : label();
}
