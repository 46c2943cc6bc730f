// Which parts of a shown page are to be written anew for what was touched, so that a change costs what it changed.
import type { Entity, Layer } from "../site/model";
import type { SiteCopy } from "../site/site-copy";

export interface Part {
  node: string;
  kind: "element" | "text";
  /** The element around it. */
  parent: string;
}

/** Beyond this, asking for each costs more than the whole page. */
const TOUCHED_MAX = 100;

/** What one node shows depends on more than its own document: a row of a list, or the use of a component. */
const DEPENDS: readonly Layer["kind"][] = ["loop", "component", "outlet"];

/**
 * The parts to write anew, none when nothing of it shows, or undefined when only the whole page will do. Steps that bring, move or
 * remove a node touch its parent too, so what is gone needs no part of its own.
 */
export function planPatch(
  copy: Pick<SiteCopy, "node">,
  page: string,
  documents: readonly string[],
  touched: readonly Entity[],
): Part[] | undefined {
  if (touched.length > TOUCHED_MAX) return undefined;
  const parts = new Map<string, { part: Part; above: readonly Layer[] }>();
  for (const entity of touched) {
    if (entity.type !== "node") return undefined;
    if (entity.body !== page) {
      if (documents.includes(entity.body)) return undefined;
      continue;
    }
    const view = copy.node(page, entity.node);
    if (view === undefined) continue;
    const parent = view.path.at(-1);
    if (parent === undefined || [view, ...view.path].some(({ kind }) => DEPENDS.includes(kind))) return undefined;
    if (view.kind !== "element" && view.kind !== "text") return undefined;
    parts.set(view.id, { part: { node: view.id, kind: view.kind, parent: parent.id }, above: view.path });
  }
  const outermost = [...parts.values()].filter(({ above }) => !above.some(({ id }) => parts.has(id)));
  return outermost.map(({ part }) => part);
}
