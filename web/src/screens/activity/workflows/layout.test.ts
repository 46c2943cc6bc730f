import { expect, test } from "vitest";
import { placeSteps, stepsOf } from "./layout";

const step = (id: string, dependencies: string[] = []) => ({ id, tool: "echo", dependencies, state: "done" });

test("a step stands to the right of those it depends on, and none on another", () => {
  const placed = placeSteps([step("a"), step("b", ["a"]), step("c", ["a"]), step("d", ["b", "c"])]);
  const at = Object.fromEntries(placed.map(({ step: { id }, x, y }) => [id, { x, y }]));
  expect(at.a?.x).toBeLessThan(at.b?.x ?? 0);
  expect(at.b?.x).toBe(at.c?.x);
  expect(at.b?.y).not.toBe(at.c?.y);
  expect(at.d?.x).toBeGreaterThan(at.c?.x ?? 0);
});

test("what is no step is left out", () => {
  expect(stepsOf([step("a"), null, { id: "b" }])).toHaveLength(1);
  expect(stepsOf("steps")).toEqual([]);
});
