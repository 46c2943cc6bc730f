// Dragging something from the panel onto the canvas. With the keyboard, and with a finger, it is chosen instead.
import type { PointerEvent } from "react";
import { followDrag } from "../../../canvas/drag";
import type { Target } from "../layers/drop";
import { targetOnCanvas } from "./canvas-drag";
import type { Choice, Insert } from "./InsertPanel";
import { updateInsert } from "./insert-state";
import type { InsertHost } from "./insertion";

/** What to do when a choice is pressed. */
export function panelDrag({ sync, board }: InsertHost, choice: Choice, insert: Insert) {
  return ({ nativeEvent, currentTarget }: PointerEvent<HTMLElement>) => {
    if (nativeEvent.button !== 0 || nativeEvent.pointerType === "touch") return;
    let target: Target | undefined;
    const ghost = document.createElement("div");
    followDrag(nativeEvent, {
      begin() {
        ghost.className = currentTarget?.dataset.ghost ?? "";
        ghost.textContent = choice.name;
        document.body.append(ghost);
      },
      move(point) {
        ghost.style.translate = `${point.x}px ${point.y}px`;
        target = targetOnCanvas(sync, board, choice.kind, point);
        updateInsert({ drop: target });
      },
      drop() {
        if (target !== undefined) void insert(choice, target);
      },
      end() {
        ghost.remove();
        updateInsert({ drop: undefined });
      },
    });
  };
}
