import { useSyncExternalStore } from "react";
import { createKept, type KeptStore } from "../state/kept";
import { useSession } from "./use-session";

const stores = new Map<string, KeptStore>();

/** Whether the person has put something away for good, and the way to do so. */
export function useKept(name: string): { away: boolean; putAway(): void } {
  const { user } = useSession();
  const person = user?.id ?? "";
  const store = stores.get(person) ?? createKept(window.localStorage, person);
  stores.set(person, store);
  const kept = useSyncExternalStore(store.subscribe, store.get);
  return { away: kept.has(name), putAway: () => store.put(name) };
}
