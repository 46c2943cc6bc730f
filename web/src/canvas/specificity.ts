// How specific a selector is, as the CSS standard counts it: ids, then classes, attributes and pseudo-classes, then types and
// pseudo-elements.
export type Specificity = readonly [ids: number, classes: number, types: number];

const NONE: Specificity = [0, 0, 0];

/** The parts of a selector list, without those in brackets. */
export function selectorParts(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length; at++) {
    const char = list.charAt(at);
    if (char === "\\") at++;
    else if (char === '"' || char === "'") at = endOfString(list, at);
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "," && depth === 0) {
      parts.push(list.slice(start, at).trim());
      start = at + 1;
    }
  }
  parts.push(list.slice(start).trim());
  return parts;
}

export function specificityOf(selector: string): Specificity {
  let sum = NONE;
  const part = /#(?:[-\w]|\\.)+|\.(?:[-\w]|\\.)+|\[|::[-\w]+|:[-\w]+|[a-zA-Z][-\w]*|[(*>+~\s&]/g;
  let found = part.exec(selector);
  while (found !== null) {
    const [text] = found;
    if (text === "[") {
      sum = add(sum, [0, 1, 0]);
      part.lastIndex = closing(selector, found.index) + 1;
    } else if (text.startsWith(":")) {
      const opens = selector.charAt(part.lastIndex) === "(";
      const end = opens ? closing(selector, part.lastIndex) : part.lastIndex - 1;
      const inner = opens ? selector.slice(part.lastIndex + 1, end) : "";
      sum = add(sum, ofPseudo(text, inner));
      part.lastIndex = end + 1;
    } else if (text.startsWith("#")) sum = add(sum, [1, 0, 0]);
    else if (text.startsWith(".")) sum = add(sum, [0, 1, 0]);
    else if (/^[a-zA-Z]/.test(text)) sum = add(sum, [0, 0, 1]);
    found = part.exec(selector);
  }
  return sum;
}

/** Older spellings of pseudo-elements have one colon. */
const ELEMENTS = new Set([":before", ":after", ":first-line", ":first-letter"]);

function ofPseudo(name: string, inner: string): Specificity {
  if (name.startsWith("::") || ELEMENTS.has(name)) return [0, 0, 1];
  if (name === ":where") return NONE;
  if (name === ":is" || name === ":not" || name === ":has") return most(selectorParts(inner).map(specificityOf));
  return [0, 1, 0];
}

function add(one: Specificity, other: Specificity): Specificity {
  return [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
}

export function compareSpecificity(one: Specificity, other: Specificity): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

export function most(all: readonly Specificity[]): Specificity {
  return all.reduce((best, one) => (compareSpecificity(one, best) > 0 ? one : best), NONE);
}

function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\") at++;
    else if (char === '"' || char === "'") at = endOfString(text, at);
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") {
      depth--;
      if (depth === 0) return at;
    }
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === text.charAt(from)) return at;
  }
  return text.length;
}
