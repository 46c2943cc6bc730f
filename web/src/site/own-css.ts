// The CSS of one element, as its `style` attribute writes it. One declaration is changed without touching the others: what a person
// wrote by hand, comments and mistakes included, stays as it was written.
import { words } from "../glossary";

export interface Declaration {
  property: string;
  value: string;
  important: boolean;
}

/** A part of the text between semicolons. */
interface Part {
  text: string;
  /** The line it begins on, from 1. */
  line: number;
  declaration?: Declaration;
  /** What was opened in it and is never closed: whatever is written behind it would be lost in it. */
  open?: string;
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

function partsOf(css: string): Part[] {
  const parts: Part[] = [];
  const waiting: string[] = [];
  let start = 0;
  let open: string | undefined;
  const cut = (end: number) => {
    const text = css.slice(start, end);
    const blank = /^(?:\s|\/\*[\s\S]*?\*\/)*/.exec(text)?.[0].length ?? 0;
    const line = css.slice(0, start + blank).split("\n").length;
    if (text.trim() !== "") parts.push({ text, line, declaration: declarationIn(text), open });
    start = end + 1;
  };
  for (let at = 0; at < css.length; at++) {
    const char = css.charAt(at);
    if (char === "\\") at++;
    else if (char === '"' || char === "'") {
      const end = endOfString(css, at);
      if (end === -1) open = char;
      at = end === -1 ? css.length : end;
    } else if (css.startsWith("/*", at)) {
      const end = css.indexOf("*/", at + 2);
      if (end === -1) open = "/*";
      at = end === -1 ? css.length : end + 1;
    } else if (CLOSING[char] !== undefined) waiting.push(char);
    else if (waiting.length > 0 && char === CLOSING[waiting.at(-1) ?? ""]) waiting.pop();
    else if (char === ";" && waiting.length === 0) cut(at);
  }
  open ??= waiting[0];
  cut(css.length);
  return parts;
}

function endOfString(css: string, from: number): number {
  for (let at = from + 1; at < css.length; at++) {
    if (css.charAt(at) === "\\") at++;
    else if (css.charAt(at) === "\n") return -1;
    else if (css.charAt(at) === css.charAt(from)) return at;
  }
  return -1;
}

function declarationIn(text: string): Declaration | undefined {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, " ");
  const [, name, written] = /^\s*([-\w]+)\s*:([\s\S]*)$/.exec(plain) ?? [];
  if (name === undefined || written === undefined) return undefined;
  const important = /!\s*important\s*$/i.test(written);
  const value = written.replace(/!\s*important\s*$/i, "").trim();
  return { property: name.startsWith("--") ? name : name.toLowerCase(), value, important };
}

/** What an element says itself of a property; the last one counts, unless an earlier one is important. */
export function ownValue(css: string | null, property: string): string | undefined {
  const said = partsOf(css ?? "").flatMap(({ declaration }) =>
    declaration?.property === property ? [declaration] : [],
  );
  return (said.findLast(({ important }) => important) ?? said.at(-1))?.value;
}

/** The text with another value for a property, or without it. Nothing is left of a text that says nothing any more. */
export function withOwnValue(css: string | null, property: string, value: string | undefined): string | null {
  const parts = partsOf(css ?? "");
  const isIt = ({ declaration }: Part) => declaration?.property === property;
  const last = parts.findLastIndex(isIt);
  const important = parts.some((part) => isIt(part) && part.declaration?.important === true);
  const written = value === undefined ? undefined : `${property}: ${value}${important ? " !important" : ""}`;
  // A shorthand behind it would undo it, so that it has to stand behind that.
  const family = property.split("-")[0];
  const isUndone = parts.slice(last + 1).some(({ declaration }) => declaration?.property.split("-")[0] === family);
  const stays = written !== undefined && last !== -1 && !isUndone;
  const kept = parts.flatMap((part, at) => {
    if (!isIt(part)) return [part.text];
    const lead = /^(?:\s|\/\*[\s\S]*?\*\/)*/.exec(part.text)?.[0] ?? "";
    if (stays && at === last) return [`${lead}${written}`];
    // The comment before it stays, as far as it is one.
    return lead.trim() === "" ? [] : [lead];
  });
  const unclosed = parts.at(-1)?.open === undefined ? [] : kept.splice(-1);
  if (written !== undefined && !stays) kept.push(` ${written}`);
  const all = [...kept, ...unclosed].map((part) => part.replace(/\s+$/, ""));
  return all.length === 0 ? null : all.join(";").trim();
}

type Supports = (property: string, value: string) => boolean;

/** What browsers leave out of the text, in words. */
export function ownCssProblems(css: string, supports: Supports): string[] {
  return partsOf(css).flatMap((part) => {
    const problem = structureProblem(part) ?? valueProblem(part, supports);
    return problem === undefined ? [] : [onLine(css, part, problem)];
  });
}

/** Why a text cannot be saved: it is not a list of declarations, so that whatever is added to it later would be lost in it. */
export function ownCssRefusal(css: string): string | undefined {
  for (const part of partsOf(css)) {
    const problem = structureProblem(part);
    if (problem !== undefined) return onLine(css, part, problem);
  }
  return undefined;
}

function onLine(css: string, { line }: Part, problem: string): string {
  return css.trim().includes("\n") ? words.inspector.css.onLine(line, problem) : problem;
}

function structureProblem({ text, declaration, open }: Part): string | undefined {
  const { css } = words.inspector;
  if (open !== undefined) return css.open(open);
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, " ").trim();
  if (plain === "") return undefined;
  if (declaration === undefined) return plain.includes("{") ? css.rule : css.noColon(plain);
  // A rule whose selector looks like a property, such as `a:hover { … }`.
  if (!declaration.property.startsWith("--") && declaration.value.includes("{")) return css.rule;
  return declaration.value === "" ? css.noValue(declaration.property) : undefined;
}

function valueProblem({ declaration }: Part, supports: Supports): string | undefined {
  const { css } = words.inspector;
  if (declaration === undefined || declaration.property.startsWith("--")) return undefined;
  const { property, value } = declaration;
  if (!supports(property, "inherit")) return css.unknown(property);
  return supports(property, value) ? undefined : css.badValue(property, value);
}
