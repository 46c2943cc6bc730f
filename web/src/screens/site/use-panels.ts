import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { createPanels, type PanelState, type Room } from "./panels";

export type SetPanels = (change: Partial<PanelState> | ((now: PanelState) => Partial<PanelState>)) => void;

/** Under it a second side panel would leave less of the canvas than a person can work on. */
const TIGHT_PX = 1000;

/** Which panels are open in the room there is, and the way to change it. */
export function usePanels(editor: RefObject<HTMLElement | null>, isNarrow: boolean): [PanelState, SetPanels] {
  const [stores] = useState(() => ({
    wide: createPanels(window.localStorage, "wide"),
    tight: createPanels(window.localStorage, "tight"),
    narrow: createPanels(window.localStorage, "narrow"),
  }));
  const isTight = useIsTight(editor);
  const room: Room = isNarrow ? "narrow" : isTight ? "tight" : "wide";
  const store = stores[room];
  const setPanels = useCallback<SetPanels>(
    (change) => {
      const now = store.get();
      const next = { ...now, ...(typeof change === "function" ? change(now) : change) };
      // With little room there is one panel at a time: the one that was asked for.
      const crowded = room !== "wide" && next.left && next.right;
      store.set(crowded ? { ...next, left: !now.left, right: !now.right } : next);
    },
    [store, room],
  );
  return [useSyncExternalStore(store.subscribe, store.get), setPanels];
}

function useIsTight(editor: RefObject<HTMLElement | null>): boolean {
  const [isTight, setIsTight] = useState(false);
  useEffect(() => {
    const element = editor.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setIsTight(element.clientWidth < TIGHT_PX));
    observer.observe(element);
    return () => observer.disconnect();
  }, [editor]);
  return isTight;
}
