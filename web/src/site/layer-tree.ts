// The layers of one document as far as they are open: rows in order, asked from the core branch by branch and kept until they
// are touched, so that neither showing nor changing a large page costs its size.
import type { Entity, Layer } from "./model";
import type { SiteCopy } from "./site-copy";

export interface Row {
  id: string;
  level: number;
  /** Its place among its siblings, from 1, and how many there are. */
  position: number;
  count: number;
}

/** Of a document that is not open it has no rows, until somebody asks again when it is. */
export interface LayerTree {
  /** Counts what looks different. */
  version(): number;
  subscribe(listener: () => void): () => void;
  rows(): readonly Row[];
  layer(id: string): Layer | undefined;
  /** The position of a row; -1 while a branch above it is closed. */
  indexOf(id: string): number;
  isOpen(id: string): boolean;
  toggle(id: string, open: boolean): void;
  /** Opens the branches above a node, and says which row stands for it. */
  reveal(id: string): string | undefined;
  touch(touched: readonly Entity[] | undefined): void;
}

/** What the children of the document's root are kept under. */
const ROOT = "";

export function createLayerTree(copy: () => Pick<SiteCopy, "isOpen" | "layers" | "node">, body: string): LayerTree {
  const branches = new Map<string, readonly string[]>();
  const layers = new Map<string, Layer>();
  const open = new Set<string>();
  const listeners = new Set<() => void>();
  let shown: { rows: readonly Row[]; at: ReadonlyMap<string, number> } | undefined;
  let version = 0;

  function changed(structure: boolean) {
    if (structure) shown = undefined;
    version++;
    for (const listener of [...listeners]) listener();
  }

  function load(key: string): readonly string[] {
    if (!copy().isOpen(body)) return [];
    const found = key === ROOT ? copy().layers(body) : copy().layers(body, key);
    for (const layer of found) layers.set(layer.id, layer);
    const ids = found.map(({ id }) => id);
    branches.set(key, ids);
    return ids;
  }

  const childrenOf = (key: string) => branches.get(key) ?? load(key);

  function lay(): { rows: readonly Row[]; at: ReadonlyMap<string, number> } {
    const rows: Row[] = [];
    const add = (key: string, level: number) => {
      const ids = childrenOf(key);
      ids.forEach((id, index) => {
        rows.push({ id, level, position: index + 1, count: ids.length });
        if (open.has(id) && layers.get(id)?.hasLayers) add(id, level + 1);
      });
    };
    add(ROOT, 1);
    return { rows, at: new Map(rows.map(({ id }, index) => [id, index])) };
  }

  function current() {
    if (shown === undefined || shown.rows.length === 0) shown = lay();
    return shown;
  }

  /** Asks again for a branch that is known, and says whether it has other rows now. */
  function reload(key: string): boolean {
    const before = branches.get(key);
    if (before === undefined) return false;
    const after = load(key);
    return before.length !== after.length || before.some((id, index) => id !== after[index]);
  }

  function forget(id: string) {
    layers.delete(id);
    branches.delete(id);
    open.delete(id);
  }

  return {
    version: () => version,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    rows: () => current().rows,
    layer: (id) => layers.get(id),
    indexOf: (id) => current().at.get(id) ?? -1,
    isOpen: (id) => open.has(id),
    toggle(id, wanted) {
      if (open.has(id) === wanted || !layers.get(id)?.hasLayers) return;
      if (wanted) open.add(id);
      else open.delete(id);
      changed(true);
    },
    reveal(id) {
      const view = copy().node(body, id);
      if (view === undefined) return undefined;
      let structure = false;
      for (const { id: above } of view.path.slice(1)) {
        if (open.has(above)) continue;
        open.add(above);
        structure = true;
      }
      if (structure) changed(true);
      // A text that stands alone is told by the row of its element.
      return current().at.has(id) ? id : view.path.at(-1)?.id;
    },
    touch(touched) {
      if (touched === undefined) {
        branches.clear();
        layers.clear();
        changed(true);
        return;
      }
      let structure = false;
      let rows = false;
      for (const entity of touched) {
        if (entity.type !== "node" || entity.body !== body) continue;
        rows = true;
        const view = copy().node(body, entity.node);
        if (view === undefined) {
          forget(entity.node);
          continue;
        }
        // What a row says may come from the texts in it.
        for (const layer of [...view.path, view]) {
          const had = layers.get(layer.id)?.hasLayers;
          if (had === undefined) continue;
          structure ||= had !== layer.hasLayers;
          layers.set(layer.id, layer);
        }
        structure = reload(view.path.length === 0 ? ROOT : entity.node) || structure;
      }
      if (rows) changed(structure);
    },
  };
}
