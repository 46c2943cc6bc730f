import { describe, expect, it } from "vitest";
import type { ContentField } from "../../api/content-api";
import type { FormValues } from "../../forms/form-values";
import { givenValue, isoTime, localTime, shownValue, slugOf } from "./entry-values";

function form(text: string): FormValues {
  return { text: () => text, list: () => (text === "" ? [] : [text]) };
}

const kinds: readonly (readonly [ContentField["kind"], unknown, string])[] = [
  [{ type: "text" }, "Ana", "Ana"],
  [{ type: "number" }, 1.5, "1.5"],
  [{ type: "references" }, ["a", "b"], "a, b"],
  [{ type: "media" }, "/uploads/a.png", "/uploads/a.png"],
  [{ type: "media" }, { url: "/uploads/a.png", alt: "A" }, '{"url":"/uploads/a.png","alt":"A"}'],
  [{ type: "group", fields: [] }, { a: 1 }, '{\n  "a": 1\n}'],
];

describe("values of entries in a form", () => {
  it.each(kinds)("%j is shown and read back", (kind, value, text) => {
    const field: ContentField = { name: "field", kind };
    expect(shownValue(field, value)).toBe(text);
    expect(givenValue(field, form(text))).toEqual(value);
  });

  it("takes away what is empty, and says no to an empty box", () => {
    expect(givenValue({ name: "a", kind: { type: "text" } }, form(""))).toBeNull();
    expect(givenValue({ name: "a", kind: { type: "boolean" } }, form(""))).toBe(false);
  });

  it("refuses what is not JSON", () => {
    expect(() => givenValue({ name: "a", kind: { type: "json" } }, form("{"))).toThrow();
  });

  it("keeps a time through the browser’s input", () => {
    const iso = "2026-11-20T09:30:00.000Z";
    expect(isoTime(localTime(iso))).toBe(iso);
    expect(isoTime("")).toBeNull();
  });

  it("makes an address of a title", () => {
    expect(slugOf("  Über uns & Co. ")).toBe("uber-uns-co");
  });
});
