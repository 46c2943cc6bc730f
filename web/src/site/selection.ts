// What a person looks at in the editor: the page, the frame, and the element they picked. One for the tab, because the canvas,
// the layers, the inspector and the assistant must mean the same thing by "this".
import { createStore } from "../state/store";

/** A node of a document; a page shows nodes of its templates too. */
export interface NodePlace {
  body: string;
  node: string;
}

export interface Selection {
  /** The page or template on screen; absent when no editor is open. */
  page?: string;
  node?: NodePlace;
  hovered?: NodePlace;
  /** The breakpoint of the active frame. */
  breakpoint?: string;
}

export const selection = createStore<Selection>({});

/** Picks an element, or none. */
export function select(node: NodePlace | undefined): void {
  const current = selection.get();
  if (!isSamePlace(current.node, node)) selection.set({ ...current, node });
}

/** Counts how often somebody wanted to see what is selected, wherever it has gone. */
export const reveals = createStore(0);

/** Brings what is selected into view once the canvas shows it, as after it was moved or made. */
export function revealSelected(): void {
  reveals.set(reveals.get() + 1);
}

export function hover(hovered: NodePlace | undefined): void {
  const current = selection.get();
  if (!isSamePlace(current.hovered, hovered)) selection.set({ ...current, hovered });
}

/** Another page has nothing picked. */
export function lookAtPage(page: string | undefined): void {
  const current = selection.get();
  if (current.page !== page) selection.set({ page, breakpoint: current.breakpoint });
}

export function lookAtBreakpoint(breakpoint: string): void {
  const current = selection.get();
  if (current.breakpoint !== breakpoint) selection.set({ ...current, breakpoint });
}

export function isSamePlace(one: NodePlace | undefined, other: NodePlace | undefined): boolean {
  return one?.body === other?.body && one?.node === other?.node;
}
