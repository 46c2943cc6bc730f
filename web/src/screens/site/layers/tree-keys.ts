// Moving about in the layers with the keyboard, as trees do everywhere.
import type { LayerTree } from "../../../site/layer-tree";

/** The row to go to; `stay` when a branch was opened or closed instead, and nothing when the key is not the tree's. */
export function rowForKey(tree: LayerTree, current: string | undefined, key: string): string | "stay" | undefined {
  const rows = tree.rows();
  const at = current === undefined ? -1 : tree.indexOf(current);
  switch (key) {
    case "ArrowDown":
      return rows[Math.min(at + 1, rows.length - 1)]?.id;
    case "ArrowUp":
      return rows[Math.max(at - 1, 0)]?.id;
    case "Home":
      return rows[0]?.id;
    case "End":
      return rows.at(-1)?.id;
    case "ArrowRight":
      return inward(tree, at);
    case "ArrowLeft":
      return outward(tree, at);
    default:
      return undefined;
  }
}

function inward(tree: LayerTree, at: number): string | undefined {
  const row = tree.rows()[at];
  if (row === undefined || !tree.layer(row.id)?.hasLayers) return "stay";
  if (tree.isOpen(row.id)) return tree.rows()[at + 1]?.id;
  tree.toggle(row.id, true);
  return "stay";
}

function outward(tree: LayerTree, at: number): string | undefined {
  const row = tree.rows()[at];
  if (row === undefined) return "stay";
  if (tree.isOpen(row.id) && tree.layer(row.id)?.hasLayers) {
    tree.toggle(row.id, false);
    return "stay";
  }
  return tree.rows().findLast((other, index) => index < at && other.level < row.level)?.id ?? "stay";
}

/** The next row after the current one whose name or words begin with what was typed. */
export function rowForText(tree: LayerTree, current: string | undefined, typed: string): string | undefined {
  const rows = tree.rows();
  const wanted = typed.toLocaleLowerCase();
  const from = current === undefined ? 0 : Math.max(tree.indexOf(current), 0) + (typed.length === 1 ? 1 : 0);
  for (let step = 0; step < rows.length; step++) {
    const id = rows[(from + step) % rows.length]?.id;
    const layer = id === undefined ? undefined : tree.layer(id);
    const texts = [layer?.name, layer?.detail?.replace(/^[.#]/, "")];
    if (texts.some((text) => text?.toLocaleLowerCase().startsWith(wanted))) return id;
  }
  return undefined;
}
