import { expect, test } from "vitest";
import { best, fit } from "./fuzzy";

const names = (wanted: string, ...all: string[]) =>
  best(
    wanted,
    all.map((name) => ({ name })),
    10,
  ).map(({ name }) => name);

test("letters in order find a name, and beginnings of words count most", () => {
  expect(names("dp", "Delete page", "Duplicate", "Adopt")).toEqual(["Delete page", "Duplicate"]);
  expect(names("mov", "Move up", "Remove", "Zoom out very")).toEqual(["Move up", "Remove", "Zoom out very"]);
});

test("what does not fit is not found, and nothing asked for finds all", () => {
  expect(fit("xyz", "Delete")).toBeUndefined();
  expect(names("", "One", "Two")).toEqual(["One", "Two"]);
});

test("further words find a thing too, after those whose name fits", () => {
  const found = best("hide", [{ name: "Visibility", words: "hide show" }, { name: "Hide" }], 10);
  expect(found.map(({ name }) => name)).toEqual(["Hide", "Visibility"]);
});
