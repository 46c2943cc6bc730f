// Dragging on the canvas: an element to another place, or something new from the panel to its first one.
import type { Board } from "../../../canvas/board";
import type { Canvas } from "../../../canvas/canvas";
import { followDrag } from "../../../canvas/drag";
import { words } from "../../../glossary";
import { hover, revealSelected, select, selection } from "../../../site/selection";
import type { Sync } from "../../../site/sync";
import { dropOp, type Target } from "../layers/drop";
import { type DropQuestion, draggedNode, insertTarget, moveTarget, type Point } from "./canvas-drop";
import { type InsertKind, rootOf, sectionsOf } from "./insert-point";
import { updateInsert } from "./insert-state";

export interface CanvasDragOptions {
  sync: Sync;
  board: Board;
  breakpoint: string;
  frame(): HTMLIFrameElement | null;
  /** Called when the press has become a drag, and when that is over. */
  onDragging(dragging: boolean): void;
}

/** Follows a press on a node of the page; what a template brings stays where it is. */
export function beginCanvasDrag(press: PointerEvent, node: string, options: CanvasDragOptions): void {
  const { sync, board, breakpoint, frame, onDragging } = options;
  const { page: body, node: selected } = selection.get();
  if (body === undefined || board.bodyOf(node) !== body) return;
  const dragged = draggedNode(sync.copy(), body, node, selected?.body === body ? selected.node : undefined);
  if (dragged === undefined) return;
  let target: Target | undefined;
  let last: Point = { x: press.clientX, y: press.clientY };
  let stopScrolling = () => {};

  function aim() {
    const canvas = board.canvas(breakpoint);
    const hit = canvas?.nodeAtPoint(last);
    target =
      canvas === undefined || hit === undefined || dragged === undefined || body === undefined
        ? undefined
        : moveTarget(sync.copy(), dragged, question(canvas, body, hit, last));
    updateInsert({ drop: target });
  }

  followDrag(press, {
    begin() {
      onDragging(true);
      hover(undefined);
      select({ body, node: dragged });
      const element = frame();
      if (element !== null) {
        stopScrolling = scrollAtEdges(
          element,
          () => last,
          (moved) => {
            last = { x: last.x, y: last.y + moved };
            aim();
          },
        );
      }
    },
    move(point) {
      last = point;
      aim();
    },
    drop() {
      const name = sync.copy().node(body, dragged)?.name ?? "";
      const op = target && dropOp(sync.copy(), body, dragged, target);
      if (op === undefined) return;
      sync.act(words.editor.summaries.move(name), [op]);
      revealSelected();
    },
    end() {
      stopScrolling();
      onDragging(false);
      updateInsert({ drop: undefined });
    },
  });
}

/** Where something new would go, for a point of the shell over one of the frames; nothing beside them. */
export function targetOnCanvas(sync: Sync, board: Board, kind: InsertKind, point: Point): Target | undefined {
  const { page: body } = selection.get();
  const over = document.elementFromPoint(point.x, point.y);
  const canvas = over instanceof HTMLIFrameElement ? board.canvas(over.dataset.frame) : undefined;
  if (body === undefined || canvas === undefined || !(over instanceof HTMLIFrameElement)) return undefined;
  const copy = sync.copy();
  const { left, top, width } = over.getBoundingClientRect();
  const scale = width / over.clientWidth;
  const inFrame = { x: (point.x - left) / scale, y: (point.y - top) / scale };
  const hit = canvas.nodeAtPoint(inFrame);
  const found = hit === undefined ? undefined : insertTarget(copy, kind, question(canvas, body, hit, inFrame));
  if (found !== undefined) return found;
  // Beside everything that the page has, as on an empty page or under a short one.
  const last = sectionsOf(copy, body).at(-1);
  const root = rootOf(copy, body);
  if (last !== undefined) return { id: last.id, side: "after" };
  return root === undefined ? undefined : { id: root, side: "inside" };
}

function question(canvas: Canvas, body: string, hit: string, point: Point): DropQuestion {
  return { body, hit, point, boxOf: (id) => canvas.boxesOf(id)[0] };
}

/** How near an edge of the canvas the pointer must be for it to scroll, and by how much in each frame. */
const EDGE_PX = 48;
const STEP_PX = 12;

/** Scrolls the canvas while the pointer is at its upper or lower edge. `moved` is told in pixels of the frame. */
function scrollAtEdges(frame: HTMLIFrameElement, point: () => Point, onScroll: (moved: number) => void): () => void {
  const viewport = frame.closest<HTMLElement>("[data-zone='elements']");
  let waiting = 0;
  const look = () => {
    if (viewport !== null) {
      const [around, room] = [frame.getBoundingClientRect(), viewport.getBoundingClientRect()];
      const scale = around.width / frame.clientWidth;
      const y = around.top + point().y * scale;
      const before = viewport.scrollTop;
      if (y < room.top + EDGE_PX) viewport.scrollTop -= STEP_PX;
      else if (y > room.bottom - EDGE_PX) viewport.scrollTop += STEP_PX;
      if (viewport.scrollTop !== before) onScroll((viewport.scrollTop - before) / scale);
    }
    waiting = requestAnimationFrame(look);
  };
  waiting = requestAnimationFrame(look);
  return () => cancelAnimationFrame(waiting);
}
