// Where a note about something stands: beside it, whole in the window, and never on top of it when that can be.
export interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number;
}

const GAP = 12;
const EDGE = 12;

/** The place of a card: below, above, to the right or to the left of its anchor; for a large anchor, inside at its end. */
export function place(anchor: Rect, card: Size, room: Size): { left: number; top: number } {
  const across = clamp(anchor.left + anchor.width / 2 - card.width / 2, room.width - card.width);
  const down = clamp(anchor.top + anchor.height / 2 - card.height / 2, room.height - card.height);
  const below = anchor.top + anchor.height + GAP;
  const above = anchor.top - GAP - card.height;
  const right = anchor.left + anchor.width + GAP;
  const left = anchor.left - GAP - card.width;
  if (below + card.height <= room.height - EDGE) return { left: across, top: below };
  if (above >= EDGE) return { left: across, top: above };
  if (right + card.width <= room.width - EDGE) return { left: right, top: down };
  if (left >= EDGE) return { left, top: down };
  return { left: across, top: clamp(anchor.top + anchor.height - card.height - 2 * GAP, room.height - card.height) };
}

function clamp(value: number, most: number): number {
  return Math.max(EDGE, Math.min(value, most - EDGE));
}
