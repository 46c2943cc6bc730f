// The selected element as the sections of the inspector see it: what it is, what is in force, and the ways to change it.
import { asApiError } from "../../../api/problem";
import { words } from "../../../glossary";
import type { Breakpoint, NodeView, Op } from "../../../site/model";
import { ToolRefusal } from "../../../site/needs";
import { ownValue, withOwnValue } from "../../../site/own-css";
import type { NodePlace } from "../../../site/selection";
import type { Tokens } from "../../../site/site-tokens";
import { isBase, ruleValue, type StyleScope } from "../../../site/style-scope";
import type { Sync } from "../../../site/sync";
import type { InForce } from "./in-force";
import { type Origin, originOf } from "./origin";

export interface Selected {
  sync: Sync;
  place: NodePlace;
  node: NodeView;
  tokens: Tokens;
  breakpoints: readonly Breakpoint[];
  /** Where styles that are set apply. */
  scope: StyleScope;
  inForce: InForce;
}

export interface SectionProps {
  selected: Selected;
}

export function attribute({ node }: Selected, name: string): string | undefined {
  return node.attrs.find((attr) => attr.name === name)?.value;
}

export function putOp({ place }: Selected, field: string, value: unknown): Op {
  return { op: "put", entity: { type: "node", body: place.body, node: place.node }, field, value };
}

export function put(selected: Selected, field: string, value: unknown, summary: string): void {
  selected.sync.act(summary, [putOp(selected, field, value)]);
}

/** Sets props of the element through its module, which refuses what cannot be. */
export function setProps({ sync, place }: Selected, patch: Record<string, unknown>, summary: string): Promise<unknown> {
  const view = { current: place.body, selected: place.node };
  return sync.run("updateNodeProps", { nodeId: place.node, patch }, { summary, view });
}

/** What the element says itself of a property, in the scope that is edited. */
export function own({ node, scope }: Selected, property: string): string | undefined {
  const attribute = isBase(scope) ? ownValue(node.style ?? null, property) : undefined;
  return attribute ?? ruleValue(node, scope, property);
}

/** Where the value of a property comes from. */
export function origin(selected: Selected, property: string): Origin | undefined {
  const { place, scope, breakpoints, tokens, inForce } = selected;
  const isOwn = own(selected, property) !== undefined;
  return originOf(inForce.decision(property), { ownClass: `n-${place.node}`, scope, breakpoints, tokens, isOwn });
}

type Values = Readonly<Record<string, string | undefined>>;

/**
 * Changes declarations of the element in the scope that is edited; undefined takes one away. What holds at every width is in the
 * `style` attribute, unless a rule for the element alone says it already; a breakpoint or a state needs such a rule.
 */
export async function setOwn(selected: Selected, values: Values, what: string): Promise<void> {
  const { sync, place, scope } = selected;
  const summary = words.inspector.summaries.style(what);
  // As it is at this moment, which may be newer than what is on screen.
  const node = sync.copy().node(place.body, place.node);
  if (node === undefined) return;
  const current = node.style ?? null;
  const inRule = ([property]: [string, unknown]) =>
    !isBase(scope) || (ownValue(current, property) === undefined && ruleValue(node, scope, property) !== undefined);
  const entries = Object.entries(values);
  const inAttribute = entries.filter((entry) => !inRule(entry));
  const style = inAttribute.reduce((css, [property, value]) => withOwnValue(css, property, value), current);
  if (style !== current) put(selected, "style", style, summary);
  const patch = entries.filter(inRule).map(([property, value]) => [`style.${property}`, value ?? null]);
  if (patch.length > 0) await setRule(selected, Object.fromEntries(patch), summary);
}

function setRule({ sync, place, scope }: Selected, patch: Record<string, string | null>, summary: string) {
  const input = { nodeId: place.node, breakpointId: scope.breakpoint?.id, state: scope.state, patch };
  return sync.run("updateNodeProps", input, { summary, view: { current: place.body, selected: place.node } });
}

/** Why something was not done, in words for people. */
export function reasonOf(error: unknown): string {
  return error instanceof ToolRefusal ? error.sentence : asApiError(error).message;
}
