// The layers of the page on screen, kept in step with the copy of the site and with what is selected.
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { createLayerTree, type LayerTree } from "../../../site/layer-tree";
import type { Sync } from "../../../site/sync";

export function useLayerTree(sync: Sync, page: string): LayerTree {
  const tree = useMemo(() => createLayerTree(sync.copy, page), [sync, page]);
  useEffect(() => sync.onTouched(tree.touch), [sync, tree]);
  useSyncExternalStore(tree.subscribe, tree.version);
  return tree;
}
