// The selected element as the sections of the inspector see it: what it is, what is in force, and the ways to change it.
import { asApiError } from "../../../api/problem";
import { words } from "../../../glossary";
import type { NodeView, Op } from "../../../site/model";
import { ToolRefusal } from "../../../site/needs";
import { ownValue, withOwnValue } from "../../../site/own-css";
import type { NodePlace } from "../../../site/selection";
import type { Tokens } from "../../../site/site-tokens";
import type { Sync } from "../../../site/sync";
import type { InForce } from "./in-force";

export interface Selected {
  sync: Sync;
  place: NodePlace;
  node: NodeView;
  tokens: Tokens;
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

/** What the element says itself of a property. */
export function own({ node }: Selected, property: string): string | undefined {
  return ownValue(node.style ?? null, property);
}

/** Changes declarations of the element's own CSS; undefined takes one away. */
export function setOwn(selected: Selected, values: Record<string, string | undefined>, what: string): void {
  const { sync, place } = selected;
  // As it is at this moment, which may be newer than what is on screen.
  const current = sync.copy().node(place.body, place.node)?.style ?? null;
  const style = Object.entries(values).reduce((css, [property, value]) => withOwnValue(css, property, value), current);
  if (style !== current) put(selected, "style", style, words.inspector.summaries.style(what));
}

/** Why something was not done, in the words of whoever refused. */
export function reasonOf(error: unknown): string {
  return error instanceof ToolRefusal ? error.message : asApiError(error).message;
}
