// What somebody has filled in so far, and the value it stands for. Fields that are empty and may be are left out of the value.
import { words } from "../glossary";
import type { Field } from "./shape";

export type Draft = string | boolean | readonly Draft[] | { readonly [name: string]: Draft } | undefined;

/** What is wrong, by where it is: a JSON Pointer into the value. */
export type Errors = Readonly<Record<string, string>>;

/** An empty form. */
export function emptyDraft({ shape, required }: Field): Draft {
  switch (shape.kind) {
    case "boolean":
      return required ? false : undefined;
    case "choice":
      return required && shape.options.length === 1 ? "0" : undefined;
    case "list":
      return [];
    case "group":
      return Object.fromEntries(shape.fields.map((field) => [field.name, emptyDraft(field)]));
    default:
      return "";
  }
}

export interface Read {
  value: unknown;
  errors: Errors;
}

/** The value of a filled form. */
export function readDraft(field: Field, draft: Draft): Read {
  const errors: Record<string, string> = {};
  const value = read(field, draft, "", errors);
  return { value: value ?? {}, errors };
}

function read({ shape, required }: Field, draft: Draft, pointer: string, errors: Record<string, string>): unknown {
  const missing = () => {
    if (required) errors[pointer] = words.form.required;
    return undefined;
  };
  switch (shape.kind) {
    case "text":
      return typeof draft === "string" && draft !== "" ? draft : missing();
    case "number": {
      if (typeof draft !== "string" || draft.trim() === "") return missing();
      const value = Number(draft);
      if (Number.isFinite(value) && (!shape.integer || Number.isInteger(value))) return value;
      errors[pointer] = shape.integer ? words.schema.needsInteger : words.schema.needsNumber;
      return undefined;
    }
    case "boolean":
      return draft === undefined ? missing() : draft === true || draft === "true";
    case "choice":
      return typeof draft === "string" ? (shape.options[Number(draft)]?.value ?? missing()) : missing();
    case "list": {
      const items = Array.isArray(draft) ? draft : [];
      if (items.length === 0) return required ? [] : undefined;
      return items.map((item: Draft, index) => read(shape.item, item, `${pointer}/${index}`, errors));
    }
    case "group":
      return readGroup(shape.fields, draft, { pointer, required, errors });
    case "json":
      return readJson(draft, pointer, errors, missing);
  }
}

interface GroupPlace {
  pointer: string;
  required: boolean;
  errors: Record<string, string>;
}

function readGroup(fields: readonly Field[], draft: Draft, { pointer, required, errors }: GroupPlace): unknown {
  const inside: Record<string, string> = {};
  const parts = fields.flatMap((field): [string, unknown][] => {
    const value = read(field, partOf(draft, field.name), `${pointer}/${escaped(field.name)}`, inside);
    return value === undefined ? [] : [[field.name, value]];
  });
  // A group that may be left out and holds nothing is left out, whatever it would need.
  if (!required && parts.length === 0) return undefined;
  Object.assign(errors, inside);
  return Object.fromEntries(parts);
}

function readJson(draft: Draft, pointer: string, errors: Record<string, string>, missing: () => undefined): unknown {
  if (typeof draft !== "string" || draft.trim() === "") return missing();
  try {
    return JSON.parse(draft) as unknown;
  } catch (error) {
    errors[pointer] = words.schema.notJson(error instanceof Error ? error.message : "");
    return undefined;
  }
}

/** A part of a group as it is filled in. */
export function partOf(draft: Draft, name: string): Draft {
  if (typeof draft !== "object" || Array.isArray(draft)) return undefined;
  return (draft as { readonly [name: string]: Draft })[name];
}

/** A step of a JSON Pointer. */
export function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
