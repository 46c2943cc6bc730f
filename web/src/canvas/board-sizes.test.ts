import { expect, test } from "vitest";
import { createFrameHeight, windowHeight } from "./frame-height";
import { fitting, scrolledTo, stepped, wheeled } from "./zoom";

/** A frame whose page is as tall as `content` says for the frame's height. */
function frameOf(content: (height: number) => number) {
  let height = windowHeight(1440);
  const follower = createFrameHeight(1440, {
    content: () => content(height),
    resize: (next) => {
      height = next;
    },
  });
  return { follower, height: () => height };
}

test("a frame is as tall as its page, and not lower than a window", () => {
  let page = 3000;
  const { follower, height } = frameOf(() => page);
  follower.follow();
  expect(height()).toBe(3000);
  page = 200;
  follower.follow();
  expect(height()).toBe(900);
  page = 400_000;
  follower.follow();
  expect(height()).toBe(12_000);
});

test("a page that grows with its frame gets a window to scroll in", () => {
  const { follower, height } = frameOf((frame) => frame + 1200);
  follower.follow();
  expect(height()).toBe(900);
  follower.follow();
  expect(height()).toBe(900);
});

test("a page that is at least as tall as its frame does not count as growing", () => {
  const { follower, height } = frameOf((frame) => Math.max(frame, 2000));
  follower.follow();
  expect(height()).toBe(2000);
});

test("zoom goes in steps, by the wheel, and to what fits", () => {
  expect([stepped(0.5, "in"), stepped(0.5, "out"), stepped(0.6, "in"), stepped(2, "in")]).toEqual([
    0.67, 0.33, 0.67, 2,
  ]);
  expect(wheeled(1, -50)).toBeGreaterThan(1);
  expect(wheeled(0.1, 100)).toBe(0.1);
  expect(fitting(390, [375], 8)).toBeCloseTo(374 / 375);
  expect(fitting(4000, [375, 768], 20)).toBe(1);
});

test("what is under the pointer stays there when the zoom changes", () => {
  expect(scrolledTo(100, 50, 0.5, 1)).toBe(250);
});
