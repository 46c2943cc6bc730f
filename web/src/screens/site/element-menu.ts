// The menu of the selected element: where it was asked for, while it is open.
import type { MouseEvent as ReactMouseEvent } from "react";
import { createStore, type Store } from "../../state/store";

export interface MenuPoint {
  x: number;
  y: number;
}

export const elementMenu: Store<MenuPoint | undefined> = createStore<MenuPoint | undefined>(undefined);

/** Under the button that asks for it. */
export function openElementMenu({ currentTarget }: ReactMouseEvent<HTMLElement>): void {
  const { left, bottom } = currentTarget.getBoundingClientRect();
  elementMenu.set({ x: left, y: bottom + 4 });
}
