// Which panels of the editor are open. Kept in the browser, because it is about this screen and this person.
import { createStore, type Store } from "../../state/store";

export type LeftTab = "pages" | "layers";

export interface PanelState {
  left: boolean;
  right: boolean;
  tab: LeftTab;
}

export type Room = "wide" | "narrow";

const KEY = "sitewright-editor-panels";

/** On a narrow screen panels lie over the canvas: they begin closed, and nothing is kept. */
export function createPanels(storage: Storage, room: Room): Store<PanelState> {
  if (room === "narrow") return createStore<PanelState>({ left: false, right: false, tab: "pages" });
  const store = createStore<PanelState>({ left: true, right: true, tab: "pages", ...kept(storage) });
  return {
    ...store,
    set(value) {
      store.set(value);
      storage.setItem(KEY, JSON.stringify(value));
    },
  };
}

function kept(storage: Storage): Partial<PanelState> {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
