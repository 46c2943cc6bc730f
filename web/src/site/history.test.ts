import { expect, test } from "vitest";
import type { HistoryItem } from "../generated/api";
import { byDay } from "./history";

const item = (seq: number, at: Date, turn?: string, person = "ana"): HistoryItem => ({
  seq,
  id: `c${seq}`,
  author: { kind: "person", id: person },
  summary: "",
  at: at.getTime(),
  tainted: false,
  turn,
});

test("changes stand under their day, those of a turn or of one person together", () => {
  const today = (hour: number) => new Date(2026, 4, 9, hour);
  const yesterday = new Date(2026, 4, 8, 23, 59);
  const days = byDay([
    item(8, today(9), "t2"),
    item(7, today(8), "t2"),
    item(6, today(7)),
    item(5, today(7)),
    item(4, today(7), undefined, "bo"),
    item(3, today(6)),
    item(2, today(0), "t1"),
    item(1, yesterday, "t1"),
  ]);
  const sequences = days.map(({ entries }) => entries.map(({ changes }) => changes.map(({ seq }) => seq)));
  expect(sequences).toEqual([[[8, 7], [6, 5], [4], [3], [2]], [[1]]]);
  expect(days.map(({ day }) => new Date(day).getDate())).toEqual([9, 8]);
});
