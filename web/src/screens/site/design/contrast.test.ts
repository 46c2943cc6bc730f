import { expect, test } from "vitest";
import { contrast, counterpartOf, readability, resolvedValue } from "./contrast";

const token = (name: string, value: string, dark?: string) => ({ name, ref: `var(--${name})`, value, dark });
const TOKENS = [
  token("accent", "var(--brand)"),
  token("brand", "#8a3b12", "#f0a070"),
  token("paper", "#fffaf5", "#1b1613"),
  token("ink", "#2a211b"),
  token("card", "#ffffff"),
  token("on-brand", "#fffaf5"),
];

test("contrast is that of WCAG, whichever colour is behind", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
  expect(contrast([255, 255, 255], [118, 118, 118])).toBeCloseTo(4.54, 2);
  expect(contrast([10, 20, 30], [10, 20, 30])).toBe(1);
});

test.for([
  [4.5, "passes"],
  [4.49, "large"],
  [2.9, "fails"],
] as const)("text with %f %s", ([ratio, expected]) => {
  expect(readability(ratio)).toBe(expected);
});

test("a token that refers to another has its value, in both schemes", () => {
  const [accent] = TOKENS;
  expect(accent && resolvedValue(accent, TOKENS, "light")).toBe("#8a3b12");
  expect(accent && resolvedValue(accent, TOKENS, "dark")).toBe("#f0a070");
  const circle = [token("a", "var(--b)"), token("b", "var(--a)")];
  expect(circle[0] && resolvedValue(circle[0], circle, "light")).toMatch(/^var/);
});

test.for([
  ["a colour on the background of the page", "brand", 6, "paper", true],
  ["the background with the text", "paper", 1, "ink", false],
  ["a card, which is nearly the background, with the text", "card", 1.2, "ink", false],
  ["text for a colour on that colour", "on-brand", 1, "brand", true],
] as const)("contrast is that of %s", ([, name, onPage, other, isBehind]) => {
  const tokens = TOKENS.filter((one) => name.includes("on-") || one.name !== "on-brand");
  const found = tokens.find((one) => one.name === name);
  const page = { background: token("paper", ""), text: token("ink", "") };
  const counterpart = found && counterpartOf(found, tokens, page, onPage);
  expect([counterpart?.token?.name, counterpart?.isBehind]).toEqual([other, isBehind]);
});

test("a colour that has one for text on it is judged with that", () => {
  const brand = TOKENS.find(({ name }) => name === "brand");
  expect(brand && counterpartOf(brand, TOKENS, {}, 6)).toMatchObject({ token: { name: "on-brand" }, isBehind: false });
});
