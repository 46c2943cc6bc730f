import { useEffect, useSyncExternalStore } from "react";
import { kept } from "../app-state";
import { useSession } from "./use-session";

export interface Kept {
  isKnown: boolean;
  isAway: boolean;
  putAway(): void;
  bringBack(): void;
}

/** Whether the person has put something away for good, and the ways to do so and to have it back. */
export function useKept(name: string): Kept {
  const { user } = useSession();
  const person = user?.id ?? "";
  const { isKnown, away } = useSyncExternalStore(kept.subscribe, kept.get);
  useEffect(() => kept.load(person), [person]);
  return {
    isKnown,
    isAway: away.has(name),
    putAway: () => kept.putAway(name),
    bringBack: () => kept.bringBack(name),
  };
}
