import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import { insertState, updateInsert } from "./insert-state";

/** Gives the focus to an element once it is there and the panel was asked for. */
export function useWantedFocus<T extends HTMLElement>(): RefObject<T | null> {
  const element = useRef<T>(null);
  const wantsFocus = useSyncExternalStore(insertState.subscribe, () => insertState.get().wantsFocus);
  useEffect(() => {
    if (!wantsFocus) return;
    element.current?.focus();
    updateInsert({ wantsFocus: false });
  }, [wantsFocus]);
  return element;
}
