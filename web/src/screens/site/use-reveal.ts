// Scrolls the canvas to what is selected when it is nowhere to be seen, as after choosing it in the layers or moving it away.
import { type RefObject, useEffect } from "react";
import type { Board } from "../../canvas/board";
import { useSelected } from "../../hooks/use-selection";
import { type NodePlace, selection } from "../../site/selection";
import { createSignal } from "./signal";

/** Tells that the selected element was moved, and the canvas is to follow it. */
export const movedSelected = createSignal();

const BESIDE = 32;

export function useReveal(viewport: RefObject<HTMLElement | null>, board: Board): void {
  const node = useSelected((current) => current.node);
  useEffect(() => {
    const element = viewport.current;
    if (element === null || node === undefined) return;
    const waiting = requestAnimationFrame(() => reveal(element, board, node));
    return () => cancelAnimationFrame(waiting);
  }, [viewport, board, node]);

  useEffect(
    () =>
      movedSelected.subscribe(async () => {
        // What was moved is elsewhere only once the frames show it.
        await board.settled();
        const [element, { node }] = [viewport.current, selection.get()];
        if (element !== null && node !== undefined) reveal(element, board, node, "whole");
      }),
    [viewport, board],
  );
}

/** Scrolls when nothing of the node is in view, or when not all of it is. */
function reveal(element: HTMLElement, board: Board, { node }: NodePlace, wanted: "any" | "whole" = "any"): void {
  const { breakpoint } = selection.get();
  const canvas = board.canvas(breakpoint);
  const frame = element.querySelector<HTMLElement>(`[data-frame="${CSS.escape(breakpoint ?? "")}"]`);
  if (canvas === undefined || frame === null) return;
  canvas.reveal(node);
  const [box] = canvas.boxesOf(node);
  if (box === undefined) return;
  const [room, around] = [element.getBoundingClientRect(), frame.getBoundingClientRect()];
  const scale = around.width / frame.clientWidth;
  const [width, height] = [box.width * scale, box.height * scale];
  const [top, left] = [around.top + box.top * scale - room.top, around.left + box.left * scale - room.left];
  const isOut =
    wanted === "any"
      ? top + height < 0 || top > room.height
      : top < 0 || top + Math.min(height, room.height) > room.height;
  if (isOut) element.scrollTop += top - Math.max(0, room.height - height) / 2;
  if (left + width < 0 || left > room.width) element.scrollLeft += left - BESIDE;
}
