import { useCallback, useState, useSyncExternalStore } from "react";
import { createPanels, type PanelState } from "./panels";

export type SetPanels = (change: Partial<PanelState> | ((now: PanelState) => Partial<PanelState>)) => void;

/** Which panels are open, and the way to change it. */
export function usePanels(isNarrow: boolean): [PanelState, SetPanels] {
  const [wide] = useState(() => createPanels(window.localStorage, "wide"));
  const [narrow] = useState(() => createPanels(window.localStorage, "narrow"));
  const store = isNarrow ? narrow : wide;
  const setPanels = useCallback<SetPanels>(
    (change) => {
      const now = store.get();
      const next = { ...now, ...(typeof change === "function" ? change(now) : change) };
      // On a narrow screen one panel at a time lies over the canvas: the one that was asked for.
      const crowded = isNarrow && next.left && next.right;
      store.set(crowded ? { ...next, left: !now.left, right: !now.right } : next);
    },
    [store, isNarrow],
  );
  return [useSyncExternalStore(store.subscribe, store.get), setPanels];
}
