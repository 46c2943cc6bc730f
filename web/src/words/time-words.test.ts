import { expect, test } from "vitest";
import { timeInWords } from "./time-words";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2030, 5, 15, 12);

test.each([
  [0, "just now"],
  [-30 * SECOND, "just now"],
  [3 * SECOND, "just now"],
  [30 * SECOND, "in a moment"],
  [-50 * SECOND, "1 minute ago"],
  [-5 * MINUTE, "5 minutes ago"],
  [-59.4 * MINUTE, "59 minutes ago"],
  [-59.8 * MINUTE, "1 hour ago"],
  [-3 * HOUR, "3 hours ago"],
  [-23.8 * HOUR, "yesterday"],
  [-2 * DAY, "2 days ago"],
  [3 * DAY, "in 3 days"],
  [-13.9 * DAY, "2 weeks ago"],
  [90 * DAY, "in 3 months"],
  [-400 * DAY, "last year"],
  [-3 * 365 * DAY, "3 years ago"],
])("%d ms away reads %s", (distance, expected) => {
  expect(timeInWords(NOW + distance, NOW)).toBe(expected);
});
