// Shows in a template where the content of pages goes. A page has its own content there; a template alone would show nothing.
import { words } from "../glossary";
import type { Layer } from "../site/model";
import type { SiteCopy } from "../site/site-copy";
import type { NodeIndex } from "./node-index";

export const MARK_TAG = "SW-OUTLET-MARK";

/** Where an outlet is: in which node, or in the document itself, and before which of the nodes in it. */
export interface OutletPlace {
  parent?: string;
  before?: string;
}

/** The first outlet of a document. */
export function findOutlet(copy: Pick<SiteCopy, "layers">, body: string, parent?: string): OutletPlace | undefined {
  const layers: readonly Layer[] = copy.layers(body, parent);
  const at = layers.findIndex(({ kind }) => kind === "outlet");
  if (at >= 0) return { parent, before: layers.slice(at + 1).find(({ kind }) => kind === "element")?.id };
  for (const { id, hasLayers } of layers) {
    const found = hasLayers ? findOutlet(copy, body, id) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Puts the mark in its place, or takes it away. It is in the frame alone and never in the site. */
export function placeOutletMark(frame: Document, index: NodeIndex, place: OutletPlace | undefined): void {
  for (const mark of frame.querySelectorAll(MARK_TAG)) mark.remove();
  if (place === undefined) return;
  const parent = place.parent === undefined ? frame.body : index.find(place.parent)[0];
  if (parent === undefined) return;
  const mark = frame.createElement(MARK_TAG);
  mark.textContent = words.editor.outlet;
  const next = place.before === undefined ? undefined : index.find(place.before)[0];
  parent.insertBefore(mark, next?.parentElement === parent ? next : null);
}
