import { expect, test } from "vitest";
import { axisTop, dayName, daysOf, formatCost, formatPrice, rangeStart } from "./usage-words";

test("a small sum does not read as nothing, and nothing does", () => {
  expect([0, 0.00001, 0.0042, 0.01, 1234.5].map(formatCost)).toEqual([
    "$0.00",
    "< $0.0001",
    "$0.0042",
    "$0.01",
    "$1,234.50",
  ]);
  expect([0, 0.05, 3, 2.5, 15].map(formatPrice)).toEqual(["$0", "$0.050", "$3", "$2.50", "$15"]);
});

test("a range begins at midnight here and has every day once, also over the end of summer time", () => {
  const now = new Date(2026, 10, 2, 9, 30);
  expect(rangeStart(7, now)).toEqual(new Date(2026, 9, 27));
  const days = daysOf(30, now);
  expect([days.length, days[0], days.at(-1)]).toEqual([30, "2026-10-04", "2026-11-02"]);
  expect(new Set(days).size).toBe(30);
  expect(dayName("2026-11-02")).toBe("2 Nov");
});

test("the top of an axis is a round number that no bar passes", () => {
  expect([0, 0.003, 0.2, 1, 1.01, 47, 99].map(axisTop)).toEqual([1, 0.005, 0.2, 1, 2, 50, 100]);
});
