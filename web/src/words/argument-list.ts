// What goes into a call as a list that a person can read. Everything in it was written by whoever calls.
import { words } from "../glossary";
import { visible } from "./visible-text";

export interface Argument {
  name: string;
  text: string;
}

export interface ArgumentList {
  rows: readonly Argument[];
  /** How many values are left out because there are too many to read. */
  leftOut: number;
}

const ROWS_MAX = 200;
const DEPTH_MAX = 6;
const TEXT_MAX = 20_000;

/** The values with the way to each; text stays as it is, apart from what cannot be seen. */
export function argumentList(value: unknown): ArgumentList {
  const rows: Argument[] = [];
  let leftOut = 0;
  const walk = (inner: unknown, path: readonly string[]) => {
    const parts = path.length < DEPTH_MAX ? partsOf(inner) : undefined;
    if (parts === undefined) {
      if (path.length === 0 && inner === undefined) return;
      if (rows.length === ROWS_MAX) leftOut += 1;
      else rows.push({ name: path.map(visible).join(" › "), text: textOf(inner) });
      return;
    }
    for (const [name, part] of parts) walk(part, [...path, name]);
  };
  walk(value, []);
  return { rows, leftOut };
}

/** Whether a text is better folded away until somebody wants it. */
export function isLong(text: string): boolean {
  return text.length > 240 || text.split("\n", 6).length > 5;
}

/** The beginning of a long text, in one line. */
export function beginningOf(text: string): string {
  return `${[...text.slice(0, 400).replace(/\s+/g, " ").trim()].slice(0, 140).join("")}…`;
}

function partsOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((part: unknown, index) => [String(index + 1), part]);
  }
  if (typeof value !== "object" || value === null) return undefined;
  const parts = Object.entries(value);
  return parts.length === 0 ? undefined : parts;
}

function textOf(value: unknown): string {
  const { yes, no, nothing, empty } = words.approvals.values;
  if (typeof value === "string") return value === "" ? empty : clipped(visible(value));
  if (typeof value === "boolean") return value ? yes : no;
  if (typeof value === "number") return String(value);
  if (value === null || value === undefined) return nothing;
  const text = JSON.stringify(value);
  return text === "{}" || text === "[]" ? empty : clipped(visible(text));
}

function clipped(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  return `${text.slice(0, TEXT_MAX)}\n${words.approvals.cut(text.length - TEXT_MAX)}`;
}
