import { useEffect, useSyncExternalStore } from "react";
import { dismissed } from "../app-state";
import { useSession } from "./use-session";

export interface Dismissal {
  isKnown: boolean;
  isDismissed: boolean;
  dismiss(): void;
  restore(): void;
}

/** Whether the person has dismissed a hint, and how to dismiss it or bring it back. */
export function useDismissed(name: string): Dismissal {
  const { user } = useSession();
  const person = user?.id ?? "";
  const { isKnown, names } = useSyncExternalStore(dismissed.subscribe, dismissed.get);
  useEffect(() => dismissed.load(person), [person]);
  return {
    isKnown,
    isDismissed: names.has(name),
    dismiss: () => dismissed.dismiss(name),
    restore: () => dismissed.restore(name),
  };
}
