import { expect, test } from "vitest";
import { widestOf } from "../../../site/style-scope";
import { widthChanges } from "./breakpoint-offer";

const breakpoint = (id: string, query?: string) => ({ id, label: id, width: 400, query });

test("a site with the widths of before is offered the new ones", () => {
  const old = [
    breakpoint("mobile", "(max-width: 375px)"),
    breakpoint("tablet", "(width <= 768px)"),
    breakpoint("desktop"),
  ];
  expect(widthChanges(old).map(({ breakpointId, maxWidth }) => [breakpointId, maxWidth])).toEqual([
    ["mobile", 640],
    ["tablet", 1024],
  ]);
});

test("widths that somebody chose, and the new ones, are left alone", () => {
  expect(
    widthChanges([breakpoint("mobile", "(max-width: 480px)"), breakpoint("narrow", "(max-width: 375px)")]),
  ).toEqual([]);
  expect(
    widthChanges([breakpoint("mobile", "(max-width: 640px)"), breakpoint("tablet", "(max-width: 1024px)")]),
  ).toEqual([]);
});

test.for([
  ["(max-width: 640px)", 640],
  ["( width <= 640.5px )", 640.5],
  ["(min-width: 640px)", undefined],
  ["screen and (max-width: 640px)", undefined],
  [undefined, undefined],
] as const)("the widest screen of %s is %s", ([query, expected]) => {
  expect(widestOf({ query })).toBe(expected);
});
