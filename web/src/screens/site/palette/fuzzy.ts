// Finding things by a few letters of their name, in order but not side by side.

/** What a letter must count on average. */
const ENOUGH = 2.5;

/** How well a text fits, the higher the better; undefined when it does not. Beginnings of words and runs count most. */
export function fit(wanted: string, text: string): number | undefined {
  const [letters, inside] = [wanted.toLocaleLowerCase(), text.toLocaleLowerCase()];
  // The letters side by side are what was meant.
  let score = inside.includes(letters.trim()) ? 4 * letters.length : 0;
  let at = -1;
  for (const letter of letters) {
    if (letter === " ") continue;
    const next = better(inside, letter, at + 1);
    if (next === -1) return undefined;
    if (next === at + 1) score += 3;
    if (next === 0 || isBorder(inside[next - 1])) score += 4;
    score += 1;
    at = next;
  }
  // Letters that are strewn about fit everything.
  if (score < ENOUGH * letters.replaceAll(" ", "").length) return undefined;
  // Of two that fit alike, the shorter one is meant.
  return score - inside.length / 100;
}

/** The next place of a letter: right here, else at the beginning of a word, else anywhere. */
function better(text: string, letter: string, from: number): number {
  if (text[from] === letter) return from;
  for (let at = from + 1; at < text.length; at++) if (text[at] === letter && isBorder(text[at - 1])) return at;
  return text.indexOf(letter, from);
}

function isBorder(sign: string | undefined): boolean {
  return sign === undefined || /[\s./#_-]/.test(sign);
}

export interface Candidate {
  name: string;
  /** Further words it is found by, which count less. */
  words?: string;
}

/** Those that fit, the best first; all of them, as they came, while nothing is asked for. */
export function best<T extends Candidate>(wanted: string, candidates: readonly T[], atMost: number): T[] {
  if (wanted.trim() === "") return candidates.slice(0, atMost);
  const scored = candidates.flatMap((candidate) => {
    const byName = fit(wanted, candidate.name);
    const byWords = candidate.words === undefined ? undefined : fit(wanted, candidate.words);
    const score = Math.max(byName ?? -1, (byWords ?? -1) / 2);
    return score < 0 ? [] : [{ candidate, score }];
  });
  scored.sort((one, other) => other.score - one.score);
  return scored.slice(0, atMost).map(({ candidate }) => candidate);
}
