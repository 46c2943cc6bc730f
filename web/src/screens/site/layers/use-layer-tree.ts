// The layers of the page on screen, kept in step with the copy of the site and with what is selected.
import { useEffect, useSyncExternalStore } from "react";
import { createLayerTree, type LayerTree } from "../../../site/layer-tree";
import type { Sync } from "../../../site/sync";

/** The trees of a site, so that what was open is open again after another tab or page. */
const trees = new WeakMap<Sync, Map<string, LayerTree>>();

export function useLayerTree(sync: Sync, page: string): LayerTree {
  const tree = treeOf(sync, page);
  useEffect(() => {
    // It heard nothing while it was not on screen.
    tree.touch(undefined);
    return sync.onTouched(tree.touch);
  }, [sync, tree]);
  useSyncExternalStore(tree.subscribe, tree.version);
  return tree;
}

function treeOf(sync: Sync, page: string): LayerTree {
  const known = trees.get(sync) ?? new Map<string, LayerTree>();
  trees.set(sync, known);
  const tree = known.get(page) ?? createLayerTree(sync.copy, page);
  known.set(page, tree);
  return tree;
}
