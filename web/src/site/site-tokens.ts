// The design tokens of the site as the inspector offers them. The core lists them; here they are only sorted.
import { newChangeId } from "./model";
import type { SiteCopy } from "./site-copy";

export interface Token {
  name: string;
  /** How CSS refers to it. */
  ref: string;
  value: string;
  /** Its value on dark pages. */
  dark?: string;
}

export interface Tokens {
  /** Without the shades, tints and see-through variants of each. */
  colors: Token[];
  typography: Token[];
  spacing: Token[];
  fonts: Token[];
}

const NONE: Tokens = { colors: [], typography: [], spacing: [], fonts: [] };

export function tokensOf(copy: SiteCopy): Tokens {
  const answer = copy.runTool("list_tokens", { input: {}, change: newChangeId() });
  if (!("done" in answer)) return NONE;
  const listed = answer.done.data as Tokens;
  return { ...listed, colors: baseColors(listed.colors) };
}

/** Each colour is listed before its variants: see-through ones, then shades, then tints, each by a rising number. */
function baseColors(listed: readonly Token[]): Token[] {
  const bases: Token[] = [];
  let last = 0;
  for (const token of listed) {
    const base = bases.at(-1)?.name;
    const rank = base !== undefined && token.name.startsWith(base) ? variantRank(token.name.slice(base.length)) : 0;
    if (rank <= last) bases.push(token);
    last = rank <= last ? 0 : rank;
  }
  return bases;
}

function variantRank(suffix: string): number {
  const [, letter = "", number] = /^-(?:([dl])-)?(\d+)$/.exec(suffix) ?? [];
  return number === undefined ? 0 : " dl".indexOf(letter === "" ? " " : letter) * 1000 + Number(number);
}

/** What a value of CSS is called: the token it refers to, or itself. */
export function tokenNamed(tokens: readonly Token[], value: string): Token | undefined {
  return tokens.find(({ ref }) => ref === value.trim());
}

/** How large a step is, from the narrowest screen to the widest. */
export function stepSize({ value }: Token): string {
  const rems = [...value.matchAll(/([\d.]+)rem/g)].map(([, number]) => Math.round(Number(number) * 16));
  const [least, most] = [rems[0], rems.at(-1)];
  if (least === undefined || most === undefined) return value;
  return least === most ? `${least}px` : `${least} to ${most}px`;
}
