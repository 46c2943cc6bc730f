import { expect, test } from "vitest";
import { frozenSelector, thawedSelector } from "./element-states";
import { selectorParts, specificityOf } from "./specificity";

test.for([
  ["*", [0, 0, 0]],
  ["h1", [0, 0, 1]],
  [".hero h1", [0, 1, 1]],
  ["#top .a.b > p:hover::before", [1, 3, 2]],
  ["a:not(.x, #y)", [1, 0, 1]],
  [":where(#a .b) p", [0, 0, 1]],
  ["li:nth-child(2n + 1)", [0, 1, 1]],
  ['[data-a="b.c#d"]', [0, 1, 0]],
  ["p:before", [0, 0, 2]],
  [".md\\:flex", [0, 1, 0]],
] as const)("%s counts %s", ([selector, expected]) => {
  expect(specificityOf(selector)).toEqual(expected);
});

test("a list is cut at its own commas alone", () => {
  expect(selectorParts('a:is(b, c), [x="1,2"], .d')).toEqual(["a:is(b, c)", '[x="1,2"]', ".d"]);
});

test.for([
  ["a:hover", "a[data-sw-hover]"],
  [".a:hover .b:hover::after", ".a[data-sw-hover] .b[data-sw-hover]::after"],
  [".a:hover-like", ".a:hover-like"],
  ["a:focus-visible", "a:focus-visible"],
] as const)("on the canvas %s means %s", ([selector, expected]) => {
  expect(frozenSelector(selector)).toBe(expected);
  expect(thawedSelector(expected)).toBe(selector);
});
