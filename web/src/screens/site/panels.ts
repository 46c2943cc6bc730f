// Which panels of the editor are open. Kept in the browser, because it is about this screen and this person.
import { createStore, type Store } from "../../state/store";

export type LeftTab = "pages" | "layers" | "insert";
export type RightTab = "element" | "design";

export interface PanelState {
  left: boolean;
  right: boolean;
  tab: LeftTab;
  rightTab: RightTab;
}

/** How much room the editor has: for everything, for one side panel beside the canvas, or for the canvas alone. */
export type Room = "wide" | "tight" | "narrow";

const START: Readonly<Record<Room, PanelState>> = {
  wide: { left: true, right: true, tab: "pages", rightTab: "element" },
  tight: { left: true, right: false, tab: "pages", rightTab: "element" },
  narrow: { left: false, right: false, tab: "pages", rightTab: "element" },
};

const KEY = "sitewright-editor-panels";

/** What is chosen where there is little room is for the moment, and not kept. */
export function createPanels(storage: Storage, room: Room): Store<PanelState> {
  if (room !== "wide") return createStore<PanelState>(START[room]);
  const store = createStore<PanelState>({ ...START.wide, ...kept(storage) });
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
