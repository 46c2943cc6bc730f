import { expect, test } from "vitest";
import { answeredMedia } from "./color-scheme";

const WRITTEN = "screen and (prefers-color-scheme: dark), (prefers-color-scheme: light) and (max-width: 40em)";

test("conditions about the colour scheme hold or fail, and others are left alone", () => {
  expect(answeredMedia(WRITTEN, "dark")).toBe(
    "screen and (min-width: 0.002px), (max-width: 0.001px) and (max-width: 40em)",
  );
  expect(answeredMedia("(max-width: 40em)", "dark")).toBe("(max-width: 40em)");
});

test("they are answered anew from what was answered before, and given back", () => {
  const dark = answeredMedia(WRITTEN, "dark");
  expect(answeredMedia(dark, "light")).toBe(answeredMedia(WRITTEN, "light"));
  expect(answeredMedia(dark, undefined)).toBe(WRITTEN);
});
