import { expect, test } from "vitest";
import { argumentList, beginningOf, isLong } from "./argument-list";

test("nested values are rows with the way to each, and markup stays text", () => {
  const list = argumentList({
    to: "ana@example.com",
    items: [{ name: "Rye", kilograms: 10 }, { name: "" }],
    express: false,
    note: null,
    tags: [],
    html: "<b>hi</b>",
  });
  expect(list.leftOut).toBe(0);
  expect(list.rows.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    "to: ana@example.com",
    "items › 1 › name: Rye",
    "items › 1 › kilograms: 10",
    "items › 2 › name: empty",
    "express: no",
    "note: nothing",
    "tags: empty",
    "html: <b>hi</b>",
  ]);
});

test("too many values are counted, not dropped in silence", () => {
  const { rows, leftOut } = argumentList(Array.from({ length: 203 }, (_, index) => index));
  expect([rows.length, leftOut]).toEqual([200, 3]);
});

test("what is nested too deep is one row of its text", () => {
  const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
  expect(argumentList(deep).rows).toEqual([{ name: "a › b › c › d › e › f", text: '{"g":1}' }]);
});

test("a very long text is cut, and says how much is missing", () => {
  const [row] = argumentList({ html: "x".repeat(21_500) }).rows;
  expect(row?.text.endsWith("\n… and 1,500 more characters")).toBe(true);
});

test("nothing handed over is no row", () => {
  expect(argumentList(undefined).rows).toEqual([]);
});

test("long texts and texts of many lines are folded to their beginning", () => {
  expect([isLong("short"), isLong("x".repeat(241)), isLong("1\n2\n3\n4\n5"), isLong("1\n2\n3\n4\n5\n6")]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect(beginningOf("  one\n\n two ")).toBe("one two…");
});
