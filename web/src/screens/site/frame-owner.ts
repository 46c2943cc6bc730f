// What happens when somebody points at, clicks or presses keys in a frame of the canvas.
import { actions } from "../../app-state";
import type { Board } from "../../canvas/board";
import type { CanvasOwner, Hit } from "../../canvas/canvas";
import { hover, isSamePlace, lookAtBreakpoint, type NodePlace, select, selection } from "../../site/selection";
import type { Sync } from "../../site/sync";
import { elementMenu, type MenuPoint } from "./element-menu";
import { beginCanvasDrag } from "./insert/canvas-drag";
import { openClipboard } from "./insert/element-clipboard";
import { canvasPointer } from "./insert/insert-state";
import { pressed } from "./keys";

export interface FrameOwnerOptions {
  board: Board;
  sync: Sync;
  breakpoint: string;
  editable: boolean;
  frame(): HTMLIFrameElement | null;
  onZoom(deltaY: number, point: MenuPoint): void;
  onPull(event: PointerEvent): void;
}

export function createFrameOwner(options: FrameOwnerOptions): Omit<CanvasOwner, "onMoved" | "onWrite"> {
  const { board, sync, breakpoint, frame, editable, onZoom, onPull } = options;
  let dragging = false;

  const placeOf = (node: string): NodePlace | undefined => {
    const body = board.bodyOf(node);
    return body === undefined ? undefined : { body, node };
  };

  /** Where a point of the frame is on the screen, whatever the zoom. */
  function onScreen({ clientX, clientY }: MouseEvent): MenuPoint {
    const element = frame();
    if (element === null) return { x: clientX, y: clientY };
    const { left, top, width } = element.getBoundingClientRect();
    const scale = width / element.clientWidth;
    return { x: left + clientX * scale, y: top + clientY * scale };
  }

  /** What lies around: of what is selected when that is here, else of what was hit. */
  function above(place: NodePlace): NodePlace {
    const { node: current } = selection.get();
    const path = sync.copy().node(place.body, place.node)?.path ?? [];
    const isAround = current?.body === place.body && path.some(({ id }) => id === current.node);
    const from = isAround && current !== undefined ? path.findIndex(({ id }) => id === current.node) : path.length;
    const node = path[from - 1]?.id;
    // The root is the page itself, which is always there and nothing to pick.
    return node === undefined || from - 1 < 1 ? place : { body: place.body, node };
  }

  function onHit({ node, above: wantsAbove, twice }: Hit): boolean {
    const before = selection.get();
    const place = placeOf(node);
    lookAtBreakpoint(breakpoint);
    if (place === undefined) return false;
    // Beside everything is the page itself: whoever clicks there wants nothing selected.
    if (sync.copy().node(place.body, place.node)?.place === undefined) {
      select(undefined);
      return false;
    }
    select(wantsAbove ? above(place) : place);
    const again = before.breakpoint === breakpoint && isSamePlace(before.node, place);
    // What a template brings is written in the template.
    return !wantsAbove && (again || twice) && place.body === before.page;
  }

  return {
    onHit,
    onMiss: () => select(undefined),
    onHover(node, y) {
      if (dragging) return;
      if (selection.get().hovered?.node !== node) hover(node === undefined ? undefined : placeOf(node));
      const { hovered, page, breakpoint: active } = selection.get();
      // What a template brings has no places of the page beside it.
      canvasPointer.set(active === breakpoint && hovered?.body === page ? y : undefined);
    },
    onKey: (event) => pressed(actions, event, "frame"),
    onZoom: (event) => onZoom(event.deltaY, onScreen(event)),
    onPull,
    onPress(event, node) {
      if (!editable) return;
      const onDragging = (now: boolean) => {
        dragging = now;
        lookAtBreakpoint(breakpoint);
      };
      beginCanvasDrag(event, node, { sync, board, breakpoint, frame, onDragging });
    },
    onClipboard: (event) => openClipboard.get()?.onEvent(event),
    onMenu(event, node) {
      onHit({ node, above: false, twice: false });
      elementMenu.set(onScreen(event));
    },
  };
}
