// Which declaration decides a property of an element on the canvas. Browsers tell what came out and not where it came from, so the
// cascade is followed here: every rule that matches, by importance, place, specificity and order.
import { readable, thawedSelector } from "./element-states";
import { compareSpecificity, most, type Specificity, selectorParts, specificityOf } from "./specificity";

/** A declaration that decides a property. */
export interface Decision {
  value: string;
  /** The selector of its rule; nothing for the element's own `style` attribute. */
  selector?: string;
  /** The media queries around its rule, outermost first. */
  media: readonly string[];
  /** Whether it was decided for an element around this one. */
  isInherited: boolean;
}

interface Match {
  style: CSSStyleDeclaration;
  selector?: string;
  media: readonly string[];
  isLayered: boolean;
  specificity: Specificity;
}

/** The rules that match an element, the weakest first; the `style` attribute is the last. */
function matchesOf(element: Element): Match[] {
  const view = element.ownerDocument.defaultView;
  if (view === null) return [];
  const found: Match[] = [];
  const walk = (rules: CSSRuleList, media: readonly string[], isLayered: boolean) => {
    for (const rule of rules) {
      if ("selectorText" in rule) {
        const { selectorText, style } = rule as CSSStyleRule;
        const matching = selectorParts(selectorText).filter((part) => isMatch(element, part));
        if (matching.length === 0) continue;
        const specificity = most(matching.map(specificityOf));
        found.push({ style, selector: thawedSelector(matching[0] ?? selectorText), media, isLayered, specificity });
      } else if ("cssRules" in rule) {
        const inner = (rule as CSSGroupingRule).cssRules;
        if ("media" in rule) {
          const { mediaText } = (rule as CSSMediaRule).media;
          if (view.matchMedia(mediaText).matches) walk(inner, [...media, mediaText], isLayered);
        } else if ("conditionText" in rule && rule.cssText.startsWith("@supports")) {
          if (CSS.supports((rule as CSSSupportsRule).conditionText)) walk(inner, media, isLayered);
        } else if (rule.cssText.startsWith("@layer")) walk(inner, media, true);
      }
    }
  };
  for (const sheet of element.ownerDocument.styleSheets) {
    const rules = readable(sheet);
    if (rules !== undefined && !sheet.disabled) walk(rules, [], false);
  }
  // The order of the sheets breaks ties, and sorting keeps it.
  found.sort(
    (one, other) =>
      Number(other.isLayered) - Number(one.isLayered) || compareSpecificity(one.specificity, other.specificity),
  );
  const { style } = element as HTMLElement;
  if (style !== undefined) found.push({ style, media: [], isLayered: false, specificity: [0, 0, 0] });
  return found;
}

function isMatch(element: Element, selector: string): boolean {
  try {
    return element.matches(selector);
  } catch {
    // A selector with a pseudo-element, or one that is nested, is about something else.
    return false;
  }
}

const INHERITED = new Set([
  "color",
  "font-family",
  "font-size",
  "font-weight",
  "line-height",
  "letter-spacing",
  "text-align",
  "text-transform",
]);

const SIDES: Readonly<Record<string, string>> = { top: "block", bottom: "block", left: "inline", right: "inline" };
const ENDS: Readonly<Record<string, string>> = { top: "start", left: "start", bottom: "end", right: "end" };

/**
 * The names under which CSS sets a property: itself, shorthands, and the names by direction of writing, taken from left to right. A
 * shorthand with a variable in it tells nothing of its parts.
 */
export function namesOf(property: string): string[] {
  const [, box, side = ""] = /^(padding|margin)-(top|right|bottom|left)$/.exec(property) ?? [];
  if (box !== undefined) return [property, `${box}-${SIDES[side]}-${ENDS[side]}`, `${box}-${SIDES[side]}`, box];
  const size = /^((?:min-|max-)?)(width|height)$/.exec(property);
  if (size !== null) return [property, `${size[1]}${size[2] === "width" ? "inline" : "block"}-size`];
  if (property.startsWith("border-") && property !== "border-radius") return [property, "border"];
  if (/^(font-(family|size|weight)|line-height)$/.test(property)) return [property, "font"];
  if (property === "background-color") return [property, "background"];
  if (property === "text-decoration-line") return [property, "text-decoration"];
  if (/^flex-(direction|wrap)$/.test(property)) return [property, "flex-flow"];
  if (property === "grid-template-columns") return [property, "grid-template", "grid"];
  if (/^(align|justify)-(content|items)$/.test(property)) return [property, property.replace(/^\w+/, "place")];
  return [property];
}

export type Cascade = (property: string) => Decision | undefined;

/** Answers for one element as it is now; the rules are matched once. */
export function cascadeOf(element: Element): Cascade {
  const known = new Map<Element, Match[]>();
  const matches = (of: Element) => {
    const found = known.get(of) ?? matchesOf(of);
    known.set(of, found);
    return found;
  };
  return (property) => {
    const names = namesOf(property);
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const decision = decide(matches(at), names);
      const isInherited = at !== element;
      if (decision !== undefined && decision.value !== "inherit") return { ...decision, isInherited };
      if (decision === undefined && !INHERITED.has(property)) return undefined;
    }
    return undefined;
  };
}

function decide(matches: readonly Match[], names: readonly string[]): Decision | undefined {
  let decision: Decision | undefined;
  let isImportant = false;
  for (const { style, selector, media } of matches) {
    const name = names.find((name) => style.getPropertyValue(name) !== "");
    if (name === undefined) continue;
    const important = style.getPropertyPriority(name) === "important";
    if (isImportant && !important) continue;
    isImportant = important;
    decision = { value: style.getPropertyValue(name), selector, media, isInherited: false };
  }
  return decision;
}
