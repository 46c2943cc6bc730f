// States of elements on the canvas. A page reacts to the mouse of whoever edits it, so that the styles of an element change under the
// pointer. On the canvas `:hover` means the elements that are marked as hovered instead: none, or the one whose hover styles are edited.
const MARK = "data-sw-hover";
const HOVER = /:hover(?![-\w(])/g;

const done = new WeakSet<CSSStyleSheet>();

/** Makes the rules for `:hover` apply to marked elements. Sheets of other origins cannot be read and stay as they are. */
export function freezeHover(frame: Document): void {
  for (const sheet of frame.styleSheets) {
    if (done.has(sheet)) continue;
    const rules = readable(sheet);
    if (rules === undefined) continue;
    done.add(sheet);
    freezeRules(rules);
  }
}

/** The rules of a sheet; nothing while it loads or when it belongs to another origin. */
export function readable(sheet: CSSStyleSheet): CSSRuleList | undefined {
  try {
    return sheet.cssRules;
  } catch {
    return undefined;
  }
}

function freezeRules(rules: CSSRuleList): void {
  for (const rule of rules) {
    // The rules of a frame are made by its own window, so that `instanceof` does not know them here.
    if ("selectorText" in rule) {
      const styled = rule as CSSStyleRule;
      const frozen = frozenSelector(styled.selectorText);
      if (frozen !== styled.selectorText) styled.selectorText = frozen;
    }
    if ("cssRules" in rule) freezeRules((rule as CSSGroupingRule).cssRules);
  }
}

export function frozenSelector(selector: string): string {
  return selector.replace(HOVER, `[${MARK}]`);
}

/** The selector as the site wrote it. */
export function thawedSelector(selector: string): string {
  return selector.replaceAll(`[${MARK}]`, ":hover");
}

/** Marks an element as hovered, with those around it as a pointer would; without one, nothing is. */
export function markHovered(frame: Document, element: Element | undefined): void {
  const wanted = new Set<Element>();
  for (let at = element ?? null; at !== null; at = at.parentElement) wanted.add(at);
  for (const marked of frame.querySelectorAll(`[${MARK}]`)) if (!wanted.has(marked)) marked.removeAttribute(MARK);
  for (const one of wanted) if (!one.hasAttribute(MARK)) one.setAttribute(MARK, "");
}
