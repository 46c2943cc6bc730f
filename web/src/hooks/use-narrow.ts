import { useSyncExternalStore } from "react";

const query = window.matchMedia("(max-width: 40rem)");

function subscribe(listener: () => void): () => void {
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Whether the window is as narrow as a phone; for drawings, which style sheets cannot lay out anew. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
