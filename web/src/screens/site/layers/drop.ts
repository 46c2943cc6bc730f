// Where a layer goes when it is let go over another one.
import type { Place } from "../../../generated/site";
import type { Layer, Op } from "../../../site/model";
import type { SiteCopy } from "../../../site/site-copy";

export type Side = "before" | "inside" | "after";

export interface Target {
  id: string;
  side: Side;
}

/** Elements that hold no others. */
const CLOSED = /^(img|br|hr|input|source|track|wbr|area|embed|textarea|select|iframe|video|audio)$/;

/** Whether something can stand in it. */
export function canHold({ kind, tag, hasLayers }: Layer): boolean {
  if (kind === "loop" || kind === "component") return true;
  return kind === "element" && (hasLayers || !CLOSED.test(tag ?? ""));
}

/** The side of a row that a pointer is at, `part` of the way down. */
export function sideAt(part: number, holds: boolean): Side {
  if (!holds) return part < 0.5 ? "before" : "after";
  if (part < 0.28) return "before";
  return part > 0.72 ? "after" : "inside";
}

/** The step that puts a node there; nothing when it would stand in itself or where it stands already. */
export function dropOp(
  copy: Pick<SiteCopy, "node" | "layers">,
  body: string,
  node: string,
  { id, side }: Target,
): Op | undefined {
  const target = copy.node(body, id);
  const own = copy.node(body, node)?.place;
  if (id === node || !target?.place || target.path.some((above) => above.id === node)) return undefined;
  const place =
    side === "inside" ? { parent: id, after: copy.layers(body, id).at(-1)?.id } : beside(target.place, id, side);
  // Behind itself is where it is.
  if (place.after === node || (place.parent === own?.parent && place.after === own.after)) return undefined;
  return { op: "place", body, node, place };
}

function beside(place: Place, id: string, side: Side) {
  return side === "before" ? place : { parent: place.parent, after: id };
}
