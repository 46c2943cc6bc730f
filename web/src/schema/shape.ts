// What a JSON Schema asks for, as far as a person can be shown it: fields, kinds, limits in words. What has no such shape stays JSON.
import { words } from "../glossary";

export type Shape =
  | { kind: "text"; long: boolean }
  | { kind: "number"; integer: boolean }
  | { kind: "boolean" }
  | { kind: "choice"; options: readonly { value: string | number | boolean; label: string }[] }
  | { kind: "list"; item: Field }
  | { kind: "group"; fields: readonly Field[] }
  | { kind: "json" };

export interface Field {
  /** Its name in the group around it; empty for an item of a list and for the whole. */
  name: string;
  description: string;
  required: boolean;
  /** What it is, such as "text" or "list of numbers". */
  type: string;
  /** What holds for it, such as "at most 200 characters". */
  limits: readonly string[];
  shape: Shape;
}

type Schema = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 6;
const LONG_TEXT = 200;

/** The whole input or output of a tool. */
export function fieldOf(schema: unknown): Field {
  const root = asSchema(schema) ?? {};
  return describe("", root, true, { root, depth: 0 });
}

interface Place {
  root: Schema;
  depth: number;
}

function describe(name: string, given: Schema, required: boolean, place: Place): Field {
  const schema = resolved(given, place.root);
  const shape = place.depth > DEPTH_MAX ? ({ kind: "json" } as const) : shapeOf(schema, place);
  return {
    name,
    description: text(given.description) ?? text(schema.description) ?? "",
    required,
    type: typeOf(shape, schema),
    limits: limitsOf(schema, shape),
    shape,
  };
}

function shapeOf(schema: Schema, { root, depth }: Place): Shape {
  const inner = { root, depth: depth + 1 };
  const options = optionsOf(schema, root);
  if (options !== undefined) return { kind: "choice", options };
  const types = typesOf(schema);
  if (types.length !== 1) return { kind: "json" };
  switch (types[0]) {
    case "string":
      return { kind: "text", long: isLong(schema) };
    case "number":
    case "integer":
      return { kind: "number", integer: types[0] === "integer" };
    case "boolean":
      return { kind: "boolean" };
    case "array": {
      const items = asSchema(schema.items);
      return items === undefined ? { kind: "json" } : { kind: "list", item: describe("", items, true, inner) };
    }
    case "object": {
      const properties = asSchema(schema.properties) ?? {};
      const names = Object.keys(properties);
      // Anything may stand in an object that names nothing and forbids nothing.
      const isClosed = names.length > 0 || schema.additionalProperties === false || depth === 0;
      if (!isClosed || hasAlternatives(schema)) return { kind: "json" };
      const required = list(schema.required);
      const fields = names.map((name) =>
        describe(name, asSchema(properties[name]) ?? {}, required.includes(name), inner),
      );
      return { kind: "group", fields };
    }
    default:
      return { kind: "json" };
  }
}

/** The schema that a reference leads to, or the one alternative that is not null. */
function resolved(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let step = 0; step < DEPTH_MAX; step += 1) {
    const reference = text(current.$ref);
    const alternatives = list(current.anyOf ?? current.oneOf).flatMap((one): Schema[] => [asSchema(one) ?? {}]);
    const real = alternatives.filter(({ type }) => type !== "null");
    if (reference !== undefined) current = { ...pointed(root, reference), ...without(current, "$ref") };
    else if (alternatives.length > real.length && real.length === 1) current = { ...real[0] };
    else break;
  }
  return current;
}

function pointed(root: Schema, reference: string): Schema {
  if (!reference.startsWith("#/")) return {};
  const steps = reference
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce<Schema>((inner, step) => asSchema(inner[step]) ?? {}, root);
}

function optionsOf(schema: Schema, root: Schema): { value: string | number | boolean; label: string }[] | undefined {
  if (isPlain(schema.const)) return [{ value: schema.const, label: String(schema.const) }];
  const named = list(schema.enum).filter((value) => value !== null);
  if (named.length > 0) {
    return named.every(isPlain) ? named.map((value) => ({ value, label: String(value) })) : undefined;
  }
  const alternatives = list(schema.oneOf ?? schema.anyOf).map((one) => resolved(asSchema(one) ?? {}, root));
  if (alternatives.length === 0) return undefined;
  const values = alternatives.map((one) => one.const);
  return values.every(isPlain) ? values.map((value) => ({ value, label: String(value) })) : undefined;
}

function typesOf(schema: Schema): string[] {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.filter((type): type is string => typeof type === "string" && type !== "null");
}

function hasAlternatives(schema: Schema): boolean {
  return ["oneOf", "anyOf", "allOf", "if"].some((word) => schema[word] !== undefined);
}

function isLong(schema: Schema): boolean {
  const most = schema.maxLength;
  return schema.format === undefined && schema.pattern === undefined && typeof most === "number" && most > LONG_TEXT;
}

function typeOf(shape: Shape, schema: Schema): string {
  const say = words.schema.types;
  switch (shape.kind) {
    case "text":
      return say.text;
    case "number":
      return shape.integer ? say.integer : say.number;
    case "boolean":
      return say.boolean;
    case "choice":
      return shape.options.length === 1 ? say.fixed : say.choice;
    case "list":
      return say.list(shape.item.type);
    case "group":
      return say.group;
    case "json":
      return list(schema.oneOf ?? schema.anyOf).length > 0 ? say.alternatives : say.json;
  }
}

function limitsOf(schema: Schema, shape: Shape): string[] {
  const say = words.schema.limits;
  const number = (name: string) => (typeof schema[name] === "number" ? schema[name] : undefined);
  const range = (least: number | undefined, most: number | undefined, unit: readonly [string, string]) => {
    if (least === undefined && most === undefined) return [];
    return [say.range(least, most, unit)];
  };
  const found: string[] = [];
  if (shape.kind === "text") found.push(...range(number("minLength"), number("maxLength"), say.characters));
  if (shape.kind === "number") found.push(...range(number("minimum"), number("maximum"), ["", ""]));
  if (shape.kind === "list") found.push(...range(number("minItems"), number("maxItems"), say.items));
  if (shape.kind === "choice") found.push(shape.options.map(({ label }) => label).join(", "));
  if (typeof schema.pattern === "string") found.push(say.pattern(schema.pattern));
  if (shape.kind === "text" && typeof schema.format === "string") found.push(say.format(schema.format));
  const preset = JSON.stringify(schema.default ?? null);
  if (!["null", "[]", "{}", '""'].includes(preset)) found.push(say.preset(preset));
  return found;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function without({ ...schema }: Record<string, unknown>, name: string): Schema {
  delete schema[name];
  return schema;
}
