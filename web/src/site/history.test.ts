import { expect, test } from "vitest";
import type { HistoryItem } from "../generated/api";
import { byDay, recentEntries, summariesOf } from "./history";
import { revertId } from "./revert-id";

const item = (seq: number, at: Date, turn?: string, person = "ana"): HistoryItem => ({
  seq,
  id: `c${seq}`,
  author: { kind: "person", id: person },
  summary: "",
  at: at.getTime(),
  tainted: false,
  documents: [{ id: `p${seq % 2}`, title: `Page ${seq % 2}` }],
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

test("what was undone is apart, and pages are named once", () => {
  const at = new Date(2026, 4, 9, 8);
  const undo = { ...item(4, at), id: revertId("c3", "key") };
  const changes = [undo, item(3, at), item(2, at), item(1, at)];
  const [entry] = byDay(changes)[0]?.entries ?? [];
  expect(entry?.changes.map(({ seq }) => seq)).toEqual([2, 1]);
  expect(entry?.undone.map(({ seq }) => seq)).toEqual([4, 3]);
  expect(entry?.documents.map(({ title }) => title)).toEqual(["Page 0", "Page 1"]);
  expect(recentEntries([undo, item(3, at)])).toEqual([]);
});

test("the same summary many times is told once, in the order of events", () => {
  const at = new Date(2026, 4, 9, 8);
  const said = (seq: number, summary: string) => ({ ...item(seq, at), summary });
  expect(summariesOf([said(3, "Wrote styles"), said(2, "Added content"), said(1, "Wrote styles")])).toEqual([
    { summary: "Wrote styles", count: 2 },
    { summary: "Added content", count: 1 },
  ]);
});
