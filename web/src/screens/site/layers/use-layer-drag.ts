// Dragging a layer: with the mouse or a pen by the row, with a finger by the grip at its end, because a finger on the row scrolls the
// list. From the keyboard a layer is moved by its actions. React Aria's tree with drag and drop costs 69 KB by Brotli.
import { type PointerEvent, type RefObject, useState } from "react";
import { words } from "../../../glossary";
import type { LayerTree } from "../../../site/layer-tree";
import type { Sync } from "../../../site/sync";
import { canHold, dropOp, sideAt, type Target } from "./drop";

/** How far a pointer must go before it drags. */
const SLACK = 5;
/** How near an edge of the list the pointer must be for the list to scroll, and by how much in each frame. */
const EDGE = 24;
const SCROLL_STEP = 6;

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

  function rowAt(clientY: number): Target | undefined {
    const element = list.current;
    if (element === null) return undefined;
    const down = (clientY - element.getBoundingClientRect().top + element.scrollTop) / rowHeight;
    const row = tree.rows()[Math.floor(down)];
    const layer = row && tree.layer(row.id);
    return row && layer && { id: row.id, side: sideAt(down % 1, canHold(layer)) };
  }

  function begin(event: PointerEvent, id: string) {
    if (event.button !== 0) return;
    const { pointerId, clientY: from } = event;
    const listeners = new AbortController();
    let over: Target | undefined;
    let pointerY = from;
    let dragging = false;

    function aim() {
      const found = rowAt(pointerY);
      over = found !== undefined && dropOp(sync.copy(), body, id, found) !== undefined ? found : undefined;
      setTarget(over);
    }
    function scrollAtEdge() {
      if (listeners.signal.aborted) return;
      if (scrollNearEdge(list.current, pointerY)) aim();
      requestAnimationFrame(scrollAtEdge);
    }
    function move(moved: globalThis.PointerEvent) {
      if (moved.pointerId !== pointerId) return;
      pointerY = moved.clientY;
      if (!dragging && Math.abs(pointerY - from) > SLACK) {
        dragging = true;
        scrollAtEdge();
      }
      if (dragging) aim();
    }
    function end() {
      listeners.abort();
      setTarget(undefined);
    }
    function drop(released: globalThis.PointerEvent) {
      if (released.pointerId !== pointerId) return;
      end();
      const op = over === undefined ? undefined : dropOp(sync.copy(), body, id, over);
      if (op !== undefined) sync.act(words.editor.summaries.move(tree.layer(id)?.name ?? ""), [op]);
    }
    const { signal } = listeners;
    window.addEventListener("pointermove", move, { signal });
    window.addEventListener("pointerup", drop, { signal });
    window.addEventListener("pointercancel", end, { signal });
    window.addEventListener("keydown", ({ key }) => key === "Escape" && end(), { signal });
  }

  return { target, begin };
}

/** Scrolls the list when the pointer is at its upper or lower edge. Returns whether it moved. */
function scrollNearEdge(list: HTMLElement | null, clientY: number): boolean {
  if (list === null) return false;
  const { top, bottom } = list.getBoundingClientRect();
  const before = list.scrollTop;
  if (clientY < top + EDGE) list.scrollTop -= SCROLL_STEP;
  else if (clientY > bottom - EDGE) list.scrollTop += SCROLL_STEP;
  return list.scrollTop !== before;
}
