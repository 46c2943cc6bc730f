// Where a style that is set in the inspector applies: at every width or at one breakpoint, at rest or in a state such as hover.
import { createStore } from "../state/store";
import type { Breakpoint, ElementState, NodeView } from "./model";

export interface StyleScope {
  /** Absent for every width. */
  breakpoint?: Breakpoint;
  /** Absent for the element at rest. */
  state?: ElementState;
}

/** The state whose styles are shown and edited. One for the tab, because the canvas shows what the inspector edits. */
export const shownState = createStore<ElementState | undefined>(undefined);

/** The scope of the active frame. A frame without a query shows the base styles, which apply at every width. */
export function scopeOf(
  breakpoints: readonly Breakpoint[],
  active: string | undefined,
  state: ElementState | undefined,
): StyleScope {
  const breakpoint = breakpoints.find(({ id }) => id === active);
  return { breakpoint: breakpoint?.query ? breakpoint : undefined, state };
}

export function isBase({ breakpoint, state }: StyleScope): boolean {
  return breakpoint === undefined && state === undefined;
}

/** What a rule for the element alone says of a property in this scope. */
export function ruleValue({ ownStyles }: NodeView, scope: StyleScope, property: string): string | undefined {
  const isHere = (style: NodeView["ownStyles"][number]) =>
    (style.breakpoint ?? undefined) === scope.breakpoint?.id && (style.state ?? undefined) === scope.state;
  const declarations = ownStyles.filter(isHere).flatMap((style) => style.declarations);
  return declarations.findLast((declaration) => declaration.property === property)?.value;
}

/** The widest screen that the styles of a breakpoint are for, in pixels; nothing where there is no such bound. */
export function widestOf({ query }: Pick<Breakpoint, "query">): number | undefined {
  const [, width] = /^\(\s*(?:max-width\s*:|width\s*<=)\s*([\d.]+)px\s*\)$/i.exec(query?.trim() ?? "") ?? [];
  return width === undefined ? undefined : Number(width);
}
