// Brings what is selected into view.
import { type RefObject, useEffect } from "react";
import type { Board } from "../../canvas/board";
import { useSelected } from "../../hooks/use-selection";
import { reveals, selection } from "../../site/selection";

/** The room left beside what was scrolled to. */
const BESIDE = 32;

/**
 * Scrolls to what is selected when it is nowhere to be seen, as after choosing it in the layers; and as far as it fits when it has just
 * been moved or made.
 */
export function useReveal(viewport: RefObject<HTMLElement | null>, board: Board) {
  const node = useSelected((current) => current.node);
  useEffect(() => {
    if (node === undefined) return;
    const waiting = requestAnimationFrame(() => reveal(viewport.current, board, "any part"));
    return () => cancelAnimationFrame(waiting);
  }, [viewport, board, node]);
  useEffect(
    () =>
      reveals.subscribe(() => {
        // What was changed is drawn with the next frame, and the frame grows with it in the one after.
        const look = () => requestAnimationFrame(() => reveal(viewport.current, board, "all of it"));
        void board.settled().then(() => requestAnimationFrame(look));
      }),
    [viewport, board],
  );
}

function reveal(viewport: HTMLElement | null, board: Board, wanted: "any part" | "all of it") {
  const { breakpoint, node } = selection.get();
  const canvas = board.canvas(breakpoint);
  const frame = viewport?.querySelector<HTMLElement>(`[data-frame="${CSS.escape(breakpoint ?? "")}"]`);
  if (viewport === null || node === undefined || canvas === undefined || !frame) return;
  canvas.reveal(node.node);
  const [box] = canvas.boxesOf(node.node);
  if (box === undefined) return;
  const [room, around] = [viewport.getBoundingClientRect(), frame.getBoundingClientRect()];
  const scale = around.width / frame.clientWidth;
  const [top, left] = [around.top + box.top * scale - room.top, around.left + box.left * scale - room.left];
  const [bottom, slack] = [top + box.height * scale, room.height - box.height * scale];
  const isOut = wanted === "any part" ? bottom < 0 || top > room.height : top < 0 || bottom > room.height;
  if (isOut) viewport.scrollTop += top - Math.max(wanted === "any part" ? 0 : BESIDE, slack / 2);
  if (left + box.width * scale < 0 || left > room.width) viewport.scrollLeft += left - BESIDE;
}
