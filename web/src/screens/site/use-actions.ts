// Actions of the editor, from a component: its own, and the list of all.
import { type DependencyList, useEffect, useSyncExternalStore } from "react";
import { actions } from "../../app-state";
import type { Action } from "../../state/actions";
import { pressed } from "./keys";

/** Registers actions for as long as the component is there, anew when one of `relies` changes. */
export function useActions(make: () => readonly Action[], relies: DependencyList): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what its actions rely on, as with an effect.
  useEffect(() => actions.register(make()), relies);
}

export function useActionList(): readonly Action[] {
  return useSyncExternalStore(actions.subscribe, actions.list);
}

/** Hears the keys of all actions; frames of the canvas hand theirs over themselves. */
export function useShortcuts(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => void pressed(actions, event, "shell");
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
