import { expect, test } from "vitest";
import { emptyDraft, readDraft } from "./draft";
import { fieldOf } from "./shape";

const COLOURS = {
  type: "object",
  properties: {
    tokens: {
      type: "array",
      items: { $ref: "#/$defs/token" },
      minItems: 1,
      maxItems: 100,
      description: "The colours.",
    },
    mode: { enum: ["merge", "replace"], default: "merge" },
    dark: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    extra: { type: "object", additionalProperties: true },
  },
  required: ["tokens"],
  $defs: {
    token: {
      type: "object",
      properties: {
        slug: { type: "string", maxLength: 40 },
        shades: { type: ["integer", "null"], minimum: 0, maximum: 12 },
      },
      required: ["slug"],
    },
  },
};

test("a schema is told in words: kinds, limits, what must be there", () => {
  const { shape } = fieldOf(COLOURS);
  if (shape.kind !== "group") throw new Error("the input is a group");
  expect(shape.fields.map(({ name, type, required, limits }) => [name, type, required, limits])).toEqual([
    ["tokens", "list of groups", true, ["1 to 100 items"]],
    ["mode", "choice", false, ["merge, replace", 'default: "merge"']],
    ["dark", "yes or no", false, []],
    ["extra", "JSON", false, []],
  ]);
  const tokens = shape.fields[0]?.shape;
  const item = tokens?.kind === "list" && tokens.item.shape.kind === "group" ? tokens.item.shape.fields : [];
  expect(item.map(({ name, type, limits }) => [name, type, limits])).toEqual([
    ["slug", "text", ["at most 40 characters"]],
    ["shades", "whole number", ["0 to 12"]],
  ]);
});

test("lists of lists and of several shapes read as words, and an empty preset says nothing", () => {
  const type = (items: object) => fieldOf({ type: "array", items, default: [] });
  expect(type({ type: "array", items: { type: "string" } }).type).toBe("list of lists of texts");
  expect(type({ anyOf: [{ type: "string" }, { type: "number" }] }).type).toBe("list of one of several types");
  expect(type({ type: "string" }).limits).toEqual([]);
});

test("a form gives the value it was filled with, and leaves out what is empty", () => {
  const field = fieldOf(COLOURS);
  const draft = { tokens: [{ slug: "sky", shades: "" }], mode: undefined, dark: undefined, extra: '{"a":1}' };
  expect(readDraft(field, draft)).toEqual({ value: { tokens: [{ slug: "sky" }], extra: { a: 1 } }, errors: {} });
  expect(emptyDraft(field)).toEqual({ tokens: [], mode: undefined, dark: undefined, extra: "" });
});

test("what is wrong is said where it is", () => {
  const { errors } = readDraft(fieldOf(COLOURS), { tokens: [{ slug: "", shades: "1.5" }], extra: "{" });
  expect(Object.keys(errors)).toEqual(["/tokens/0/slug", "/tokens/0/shades", "/extra"]);
});

test("alternatives of objects stay JSON, and a schema that contains itself ends", () => {
  const loop = { type: "object", properties: { child: { $ref: "#" } } };
  expect(fieldOf(loop).shape.kind).toBe("group");
  const either = { oneOf: [{ type: "object", properties: { kind: { const: "a" } } }, { type: "object" }] };
  expect(fieldOf({ type: "object", properties: { target: either } }).shape).toMatchObject({
    fields: [{ name: "target", type: "one of several types", shape: { kind: "json" } }],
  });
});
