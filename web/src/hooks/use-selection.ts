import { useSyncExternalStore } from "react";
import { type Selection, selection } from "../site/selection";

export function useSelection(): Selection {
  return useSyncExternalStore(selection.subscribe, selection.get);
}

/** A part of the selection, for what need not look again when another part changes. */
export function useSelected<T>(part: (selection: Selection) => T): T {
  return useSyncExternalStore(selection.subscribe, () => part(selection.get()));
}
