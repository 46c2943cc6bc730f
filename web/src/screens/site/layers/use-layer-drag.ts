// Dragging a layer with the mouse or a pen. A finger scrolls the list; it moves elements by their menu.
import { type PointerEvent, type RefObject, useState } from "react";
import { words } from "../../../glossary";
import type { LayerTree } from "../../../site/layer-tree";
import type { Sync } from "../../../site/sync";
import { canHold, dropOp, sideAt, type Target } from "./drop";

/** How far a pointer must go before it drags. */
const SLACK = 5;

export interface LayerDrag {
  target: Target | undefined;
  begin(event: PointerEvent, id: string): void;
}

interface LayerDragOptions {
  sync: Sync;
  tree: LayerTree;
  body: string;
  list: RefObject<HTMLElement | null>;
  rowHeight: number;
}

export function useLayerDrag({ sync, tree, body, list, rowHeight }: LayerDragOptions): LayerDrag {
  const [target, setTarget] = useState<Target>();

  function at(clientY: number): Target | undefined {
    const element = list.current;
    if (element === null) return undefined;
    const down = (clientY - element.getBoundingClientRect().top + element.scrollTop) / rowHeight;
    const row = tree.rows()[Math.floor(down)];
    const layer = row && tree.layer(row.id);
    return row && layer && { id: row.id, side: sideAt(down % 1, canHold(layer)) };
  }

  function begin(event: PointerEvent, id: string) {
    if (event.pointerType === "touch" || event.button !== 0) return;
    const from = event.clientY;
    let over: Target | undefined;
    let dragging = false;
    const move = ({ clientY }: globalThis.PointerEvent) => {
      dragging ||= Math.abs(clientY - from) > SLACK;
      if (!dragging) return;
      const found = at(clientY);
      over = found !== undefined && dropOp(sync.copy(), body, id, found) !== undefined ? found : undefined;
      setTarget(over);
    };
    const end = ({ type }: globalThis.PointerEvent) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      setTarget(undefined);
      const op = type === "pointerup" && over !== undefined ? dropOp(sync.copy(), body, id, over) : undefined;
      if (op !== undefined) sync.act(words.editor.summaries.move(tree.layer(id)?.name ?? ""), [op]);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  return { target, begin };
}
