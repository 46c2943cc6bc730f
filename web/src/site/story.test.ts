import { describe, expect, test } from "vitest";
import { revertId } from "./revert-id";
import { cancelledChanges, groupByDay, groupEntries } from "./story";

const MINUTE = 60_000;
const NOON = new Date(2026, 4, 9, 12).getTime();

interface Line {
  name: string;
  minute: number;
  author?: string;
  request?: string;
}

const entryOf = ({ minute, author = "ana", request }: Line) => ({ at: NOON + minute * MINUTE, author, request });
const names = (lines: readonly Line[]) =>
  groupEntries(
    lines.toSorted((one, other) => other.minute - one.minute),
    entryOf,
  ).map(({ items }) => items.map(({ name }) => name).join(" "));

describe("groups", () => {
  test("are what one author does without a long break", () => {
    const lines = [0, 9, 18, 29].map((minute) => ({ name: `m${minute}`, minute }));
    expect(names(lines)).toEqual(["m29", "m18 m9 m0"]);
  });

  test("of two people who work at once do not break each other up", () => {
    const lines = [
      { name: "a1", minute: 0 },
      { name: "b1", minute: 1, author: "bo" },
      { name: "a2", minute: 2 },
    ];
    expect(names(lines)).toEqual(["a2 a1", "b1"]);
  });

  test("of a request stay whole however long it takes, and are apart from what its author does by hand", () => {
    const lines = [
      { name: "r1", minute: 0, request: "t1" },
      { name: "hand", minute: 1 },
      { name: "r2", minute: 45, request: "t1" },
      { name: "other", minute: 46, request: "t2" },
    ];
    expect(names(lines)).toEqual(["other", "r2 r1", "hand"]);
  });

  test("end with the day", () => {
    const midnight = new Date(2026, 4, 10).getTime();
    const items = [midnight + MINUTE, midnight - MINUTE].map((at) => ({ at, author: "ana" }));
    const days = groupByDay(items, (item) => item);
    expect(days.map(({ day, groups }) => [new Date(day).getDate(), groups.length])).toEqual([
      [10, 1],
      [9, 1],
    ]);
  });
});

describe("undo", () => {
  const cancelled = (...oldestFirst: (string | { id: string; turn: string })[]) => [
    ...cancelledChanges(oldestFirst.toReversed().map((one) => (typeof one === "string" ? { id: one } : one))),
  ];

  test("and what it undid cancel out; what was redone counts again", () => {
    const undo = revertId("a", "k1");
    expect(cancelled("a", "b", undo)).toEqual([undo, "a"]);
    const redo = revertId(undo, "k2");
    expect(cancelled("a", undo, redo)).toEqual([redo, undo]);
    const again = revertId(redo, "k3");
    expect(cancelled("a", undo, redo, again)).toEqual([again, redo, undo, "a"]);
  });

  test("of a request cancels all its changes", () => {
    const undo = revertId("t1", "k1");
    expect(cancelled({ id: "a", turn: "t1" }, "b", { id: "c", turn: "t1" }, undo)).toEqual([undo, "c", "a"]);
  });

  test("of something that is not listed stays", () => {
    expect(cancelled("b", revertId("older", "k1"))).toEqual([]);
  });

  test("pressed forever does not make ids longer, and ids stay within what the server takes", () => {
    let id = "c".repeat(24);
    for (let press = 0; press < 10; press += 1) {
      id = revertId(id, `k${press}`);
      expect(id.length).toBeLessThan(60);
    }
    expect(revertId("x".repeat(99), "key")).toBe("key");
  });
});
