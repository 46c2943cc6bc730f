import { expect, test } from "vitest";
import { place, type Rect } from "./place";

const ROOM = { width: 1280, height: 840 };
const CARD = { width: 320, height: 160 };
const overlaps = (anchor: Rect) => {
  const { left, top } = place(anchor, CARD, ROOM);
  const apart =
    left >= anchor.left + anchor.width ||
    left + CARD.width <= anchor.left ||
    top >= anchor.top + anchor.height ||
    top + CARD.height <= anchor.top;
  return !apart;
};

test("a card stands beside a button in any corner, whole in the window", () => {
  for (const left of [0, 600, 1200]) {
    for (const top of [0, 400, 800]) {
      const anchor = { left, top, width: 80, height: 40 };
      expect(overlaps(anchor)).toBe(false);
      const card = place(anchor, CARD, ROOM);
      expect(card.left).toBeGreaterThanOrEqual(12);
      expect(card.top).toBeGreaterThanOrEqual(12);
      expect(card.left + CARD.width).toBeLessThanOrEqual(ROOM.width - 12);
      expect(card.top + CARD.height).toBeLessThanOrEqual(ROOM.height - 12);
    }
  }
});

test("about something that fills the window, it stands inside at the end", () => {
  const { top } = place({ left: 300, top: 60, width: 980, height: 780 }, CARD, { width: 1280, height: 840 });
  expect(top).toBe(840 - 160 - 24);
});
