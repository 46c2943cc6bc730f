// Where the value of a property comes from, as the inspector says it.
import type { Decision } from "../../../canvas/cascade";
import { words } from "../../../glossary";
import type { Breakpoint } from "../../../site/model";
import type { Tokens } from "../../../site/site-tokens";
import { isBase, type StyleScope, widestOf } from "../../../site/style-scope";

export interface Origin {
  /** Set on the element for the scope that is edited, set on it for a wider scope, or set elsewhere. */
  kind: "here" | "wider" | "elsewhere";
  /** A short text for the label's column. */
  text: string;
  /** The same as a sentence. */
  sentence: string;
}

interface OriginQuery {
  /** The class that only the element has. */
  ownClass: string;
  scope: StyleScope;
  breakpoints: readonly Breakpoint[];
  tokens: Tokens;
  /** Whether the element says something of the property in the scope itself. */
  isOwn: boolean;
}

const texts = words.design.origin;

/** Nothing for what neither the site nor the element says anything about. */
export function originOf(decision: Decision | undefined, query: OriginQuery): Origin | undefined {
  if (query.isOwn) return { kind: "here", text: texts.here, sentence: texts.hereSentence };
  if (decision === undefined) return undefined;
  const token = tokenIn(decision.value, query.tokens);
  const say = (text: string): Pick<Origin, "text" | "sentence"> => ({
    text,
    sentence: token === undefined ? texts.from(text) : texts.fromToken(text, token),
  });
  if (decision.isInherited) return { kind: "elsewhere", ...say(texts.inherited) };
  const isOwnRule = decision.selector === undefined || decision.selector.startsWith(`.${query.ownClass}`);
  if (!isOwnRule) return { kind: "elsewhere", ...say(decision.selector ?? "") };
  return { kind: "wider", ...say(scopeName(decision, query)) };
}

/** What a scope of the element's own is called: the breakpoint of its query, or every width. */
function scopeName({ media, selector }: Decision, { breakpoints, scope }: OriginQuery): string {
  const query = media.at(-1);
  const breakpoint = breakpoints.find((known) => query !== undefined && isSameQuery(known, query));
  const name = breakpoint?.label ?? texts.allWidths;
  // The hover styles of an element begin with those at rest.
  return selector?.includes(":") === true && !isBase(scope) ? texts.inState(name) : name;
}

function isSameQuery(breakpoint: Breakpoint, query: string): boolean {
  const widest = widestOf(breakpoint);
  return widest === undefined ? breakpoint.query === query : widest === widestOf({ query });
}

function tokenIn(value: string, tokens: Tokens): string | undefined {
  const [, variable] = /var\(\s*--([-\w]+)/.exec(value) ?? [];
  if (variable === undefined) return undefined;
  const all = [...tokens.colors, ...tokens.typography, ...tokens.spacing, ...tokens.fonts];
  return all.find(({ ref }) => ref === `var(--${variable})`)?.name ?? variable;
}
