import { expect, test } from "vitest";
import { revertedTurns } from "./reverted-turns";

/** The turns that are taken back after these changes, the oldest first. */
const check = (...changes: { id: string; turn?: string }[]) => [...revertedTurns(changes.toReversed())];

const MADE = [
  { id: "a", turn: "t1" },
  { id: "b", turn: "t1" },
];

test("a turn is taken back by its own undo, or by those of all its changes", () => {
  expect(check(...MADE)).toEqual([]);
  expect(check(...MADE, { id: "undo~t1~k" })).toEqual(["t1"]);
  expect(check(...MADE, { id: "undo~b~k" })).toEqual([]);
  expect(check(...MADE, { id: "undo~b~k" }, { id: "undo~a~l" })).toEqual(["t1"]);
});

test("a turn that was redone is there again, until it is undone once more", () => {
  const redone = [...MADE, { id: "undo~t1~k" }, { id: "redo~undo~t1~k~l" }];
  expect(check(...redone)).toEqual([]);
  expect(check(...redone, { id: "undo~t1~m" })).toEqual(["t1"]);
});
