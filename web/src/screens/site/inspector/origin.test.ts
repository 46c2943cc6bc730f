import { expect, test } from "vitest";
import type { Decision } from "../../../canvas/cascade";
import { originOf } from "./origin";

const MOBILE = { id: "mobile", label: "Mobile", width: 390, query: "(max-width: 640px)" };
const TABLET = { id: "tablet", label: "Tablet", width: 768, query: "(max-width: 1024px)" };
const QUERY = {
  ownClass: "n-abc",
  scope: { breakpoint: MOBILE },
  breakpoints: [MOBILE, TABLET, { id: "desktop", label: "Desktop", width: 1440 }],
  tokens: {
    colors: [{ name: "accent", ref: "var(--accent)", value: "red" }],
    typography: [],
    spacing: [{ name: "m", ref: "var(--space-m)", value: "1rem" }],
    fonts: [],
  },
  isOwn: false,
};

const decision = (part: Partial<Decision>): Decision => ({ value: "red", media: [], isInherited: false, ...part });

test.for([
  ["a rule of the site", decision({ selector: ".hero h1" }), "elsewhere", "From .hero h1"],
  [
    "a token in a rule",
    decision({ selector: ".card", value: "var(--space-m)" }),
    "elsewhere",
    "From .card: m of the site’s design",
  ],
  ["an element around it", decision({ selector: "body", isInherited: true }), "elsewhere", "From a parent element"],
  ["a wider breakpoint", decision({ selector: ".n-abc", media: ["(max-width: 1024px)"] }), "wider", "From Tablet"],
  ["its style attribute", decision({}), "wider", "From all widths"],
] as const)("a value of %s", ([, decided, kind, sentence]) => {
  const origin = originOf(decided, QUERY);
  expect([origin?.kind, origin?.sentence]).toEqual([kind, sentence]);
});

test("what is set in the scope says so, and what nobody sets says nothing", () => {
  expect(originOf(decision({}), { ...QUERY, isOwn: true })?.kind).toBe("here");
  expect(originOf(undefined, QUERY)).toBeUndefined();
});
