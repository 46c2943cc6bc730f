import { expect, test } from "vitest";
import { familiesOf, familyName, findSections } from "./sections";

const section = (key: string, family: string, name: string, description: string) => ({
  ...{ key, family, name, description },
  html: "<section></section>",
});
const ALL = [
  section("hero-split", "hero", "Split", "A heading beside a picture."),
  section("hero-center", "hero", "Centred", "A heading over a picture."),
  section("cta-band", "call-to-action", "Band", "A line and a button."),
];
const found = (query: string, family = "") => findSections(ALL, query, family).map(({ key }) => key);

test("sections are found by every word, wherever it stands", () => {
  expect(found("")).toEqual(["hero-split", "hero-center", "cta-band"]);
  expect(found("picture BESIDE")).toEqual(["hero-split"]);
  expect(found("action")).toEqual(["cta-band"]);
  expect(found("", "hero")).toEqual(["hero-split", "hero-center"]);
  expect(found("button", "hero")).toEqual([]);
});

test("families are named in words, in the order of the library", () => {
  expect(familiesOf(ALL).map(familyName)).toEqual(["Hero", "Call to action"]);
});
