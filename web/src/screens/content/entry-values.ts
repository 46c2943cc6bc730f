// Between the values of an entry's fields and what a form holds, which is text.
import type { ContentField } from "../../api/content-api";
import { invalid } from "../../api/problem";
import type { FormValues } from "../../forms/form-values";
import { words } from "../../glossary";

/** The value of a field as a form shows it. */
export function shownValue({ kind }: ContentField, value: unknown): string {
  if (value === undefined || value === null) return "";
  switch (kind.type) {
    case "references":
      return Array.isArray(value) ? value.join(", ") : String(value);
    case "media":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "json":
    case "group":
    case "repeater":
      return JSON.stringify(value, null, 2);
    default:
      return String(value);
  }
}

/** The name of a field in the form. Fields of the collection must not collide with the entry's own. */
export function inputName({ name }: ContentField): string {
  return `content.${name}`;
}

/** What a form says about a field; null takes the value away. */
export function givenValue(field: ContentField, values: FormValues): unknown {
  const name = inputName(field);
  if (field.kind.type === "boolean") return values.list(name).length > 0;
  const text = values.text(name);
  if (text === "") return null;
  switch (field.kind.type) {
    case "number":
      return Number(text);
    case "references":
      return text
        .split(",")
        .map((id) => id.trim())
        .filter((id) => id !== "");
    case "json":
    case "group":
    case "repeater":
      return parsed(name, text);
    case "media":
      return text.startsWith("{") ? parsed(name, text) : text;
    default:
      return text;
  }
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(name, words.content.badJson);
  }
}

/** A time as the browser's own input writes it, in the zone of the person. */
export function localTime(iso: string | undefined): string {
  if (iso === undefined) return "";
  const time = new Date(iso);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** A time that the browser's input gave, as the server takes it. */
export function isoTime(local: string): string | null {
  return local === "" ? null : new Date(local).toISOString();
}

/** A title as a part of an address. */
export function slugOf(title: string): string {
  return title
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}
