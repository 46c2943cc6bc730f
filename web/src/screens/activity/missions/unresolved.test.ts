import { expect, test } from "vitest";
import { isUnresolved } from "./unresolved";

const residual = { leg: "car", tool: "car_book", state: "manual_review", reason: "It cannot be cancelled." };
const resolved = { by: "user:1", at: 1, note: "Called them." };

test("a mission needs attention until somebody took care of everything it left", () => {
  const state = "rolled_back_with_residuals";
  expect(isUnresolved({ state, residuals: [{ ...residual, resolved }, residual] })).toBe(true);
  expect(isUnresolved({ state, residuals: [{ ...residual, resolved }] })).toBe(false);
  expect(isUnresolved({ state: "completed", residuals: [residual] })).toBe(true);
  expect(isUnresolved({ state: "rolling_back", residuals: [residual] })).toBe(false);
});
