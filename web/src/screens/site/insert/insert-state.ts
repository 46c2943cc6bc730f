// What is about to be inserted, and where: shared by the panel that offers it and the canvas that shows the place.
import { selection } from "../../../site/selection";
import { createStore, type Store } from "../../../state/store";
import type { Target } from "../layers/drop";

export type InsertPart = "sections" | "layouts" | "elements";

export interface InsertState {
  /** Whether the panel is there, so that the canvas shows the place. */
  isOpen: boolean;
  part: InsertPart;
  /** The place somebody pointed at; without one it follows what is selected. */
  point?: Target;
  /** The place under the pointer, while something is dragged. */
  drop?: Target;
  /** Whether the panel was asked for and is to take the focus; a click on its tab leaves the focus there. */
  wantsFocus: boolean;
}

export const insertState: Store<InsertState> = createStore<InsertState>({
  isOpen: false,
  part: "sections",
  wantsFocus: false,
});

/** How far down the pointer is in the frame it is over, in pixels of the frame. */
export const canvasPointer: Store<number | undefined> = createStore<number | undefined>(undefined);

export function updateInsert(part: Partial<InsertState>): void {
  insertState.set({ ...insertState.get(), ...part });
}

/** Points at a place; what is selected afterwards is the place again. */
export function pointAt(point: Target | undefined): void {
  updateInsert({ point });
}

let pointedFrom = selection.get().node;
selection.subscribe(() => {
  const { node } = selection.get();
  if (node === pointedFrom) return;
  pointedFrom = node;
  if (insertState.get().point !== undefined) pointAt(undefined);
});
