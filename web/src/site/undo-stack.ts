// What Undo and Redo take back next in this tab: the person's own changes one by one, and what the assistant did for them by request.
// Kept for the tab, so that a reload does not end it.
import type { Logged } from "./model";
import { redoneBy, undoneBy } from "./revert-id";

/** A change of the person, or everything that one request to the assistant did. */
export type UndoStep = { change: string } | { turn: string };

/** A change that undid a step. */
export interface RedoStep {
  change: string;
  undid: UndoStep;
}

export interface UndoSteps {
  undo: readonly UndoStep[];
  redo: readonly RedoStep[];
}

/** Where the steps are kept over a reload; nothing that was kept reads as undefined. */
export interface UndoMemory {
  read(): UndoSteps | undefined;
  write(steps: UndoSteps): void;
}

export interface UndoStack {
  nextUndo(): UndoStep | undefined;
  nextRedo(): RedoStep | undefined;
  /** Takes in an entry of the log that this tab or the person's assistant made. Recording it twice changes nothing. */
  record(entry: Pick<Logged, "id" | "turn">): void;
  /** Gives up a step that cannot be taken back. */
  drop(step: UndoStep): void;
}

const STEPS_MAX = 100;

export function createUndoStack(memory: UndoMemory): UndoStack {
  let steps: UndoSteps = memory.read() ?? { undo: [], redo: [] };

  function set(undo: readonly UndoStep[], redo: readonly RedoStep[]): void {
    steps = { undo: undo.slice(-STEPS_MAX), redo: redo.slice(-STEPS_MAX) };
    memory.write(steps);
  }

  function recordUndo(id: string, target: string): void {
    const undid = steps.undo.find((step) => nameOf(step) === target);
    if (undid !== undefined) set(without(steps.undo, target), [...steps.redo, { change: id, undid }]);
  }

  function recordRedo(target: string): void {
    const redone = steps.redo.find((step) => nameOf(step) === target);
    if (redone !== undefined) set([...steps.undo, redone.undid], without(steps.redo, target));
  }

  return {
    nextUndo: () => steps.undo.at(-1),
    nextRedo: () => steps.redo.at(-1),
    record({ id, turn }) {
      const [undone, redone] = [undoneBy(id), redoneBy(id)];
      if (undone !== undefined) return recordUndo(id, undone);
      if (redone !== undefined) return recordRedo(redone);
      const step: UndoStep = turn == null ? { change: id } : { turn };
      const isKnown = steps.undo.some((known) => nameOf(known) === nameOf(step));
      if (!isKnown) set([...steps.undo, step], []);
    },
    drop(step) {
      const name = nameOf(step);
      set(without(steps.undo, name), without(steps.redo, name));
    },
  };
}

/** The steps of a person in this tab. A browser that keeps nothing has them until it leaves the page. */
export function tabMemory(storage: Storage, person: string): UndoMemory {
  const key = `sitewright-undo-${person}`;
  return {
    read() {
      try {
        const kept: unknown = JSON.parse(storage.getItem(key) ?? "null");
        return isSteps(kept) ? kept : undefined;
      } catch {
        return undefined;
      }
    },
    write(steps) {
      try {
        storage.setItem(key, JSON.stringify(steps));
      } catch {
        // Storage is full or switched off.
      }
    },
  };
}

function isSteps(value: unknown): value is UndoSteps {
  if (typeof value !== "object" || value === null) return false;
  return "undo" in value && Array.isArray(value.undo) && "redo" in value && Array.isArray(value.redo);
}

function nameOf(step: UndoStep): string {
  return "turn" in step ? step.turn : step.change;
}

function without<Step extends UndoStep>(steps: readonly Step[], name: string): Step[] {
  return steps.filter((step) => nameOf(step) !== name);
}
