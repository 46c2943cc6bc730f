import { expect, test } from "vitest";
import { languageName } from "./languages";

test.each([
  ["de", "German"],
  ["pt-BR", "Brazilian Portuguese"],
  ["not a tag", "not a tag"],
])("%s is called %s", (tag, name) => {
  expect(languageName(tag)).toBe(name);
});
