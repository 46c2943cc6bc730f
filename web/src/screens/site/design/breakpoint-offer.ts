// The widths that sites were made with before phones grew: a site that still has them is offered those of new sites.
import type { Breakpoint } from "../../../site/model";
import { widestOf } from "../../../site/style-scope";

export interface WidthChange {
  breakpointId: string;
  label: string;
  from: number;
  maxWidth: number;
  frameWidth: number;
}

const CHANGES = [
  { breakpointId: "mobile", from: 375, maxWidth: 640, frameWidth: 390 },
  { breakpointId: "tablet", from: 768, maxWidth: 1024, frameWidth: 768 },
] as const;

/** What would change; nothing for widths that somebody chose. */
export function widthChanges(breakpoints: readonly Breakpoint[]): WidthChange[] {
  return CHANGES.flatMap((change) => {
    const found = breakpoints.find(({ id }) => id === change.breakpointId);
    const isOld = found !== undefined && widestOf(found) === change.from;
    return isOld ? [{ ...change, label: found.label }] : [];
  });
}

/** Makes a page look as it will with the new widths, by changing the queries of its stylesheets. */
export function applyNewWidths(frame: Document, changes: readonly WidthChange[]): void {
  const walk = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if ("media" in rule) {
        const { media } = rule as CSSMediaRule;
        const widest = widestOf({ query: media.mediaText });
        const change = changes.find(({ from }) => from === widest);
        if (change !== undefined) media.mediaText = `(max-width: ${change.maxWidth}px)`;
      }
      if ("cssRules" in rule) walk((rule as CSSGroupingRule).cssRules);
    }
  };
  for (const { ownerNode, cssRules } of frame.styleSheets) if (ownerNode?.nodeName === "STYLE") walk(cssRules);
}
