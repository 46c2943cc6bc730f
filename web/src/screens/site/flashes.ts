// What others have just changed, for as long as it is highlighted.
import { useSyncExternalStore } from "react";
import type { Logged } from "../../site/model";
import type { NodePlace } from "../../site/selection";
import { createStore, type Store } from "../../state/store";

export interface Flash {
  id: string;
  place: NodePlace;
  who: string;
}

const FLASH_MS = 2400;
/** More at once would only be flicker; a large change is seen by its outermost parts. */
const AT_MOST = 12;

export const flashes: Store<readonly Flash[]> = createStore<readonly Flash[]>([]);

/** Highlights the nodes that an entry of the log changed, for a moment. */
export function highlightChange(entry: Logged, who: string): void {
  const made = changedNodes(entry)
    .slice(0, AT_MOST)
    .map((place) => ({ id: `${entry.id} ${place.node}`, place, who }));
  if (made.length === 0) return;
  flashes.set([...flashes.get(), ...made].slice(-AT_MOST));
  setTimeout(() => flashes.set(flashes.get().filter((flash) => !made.includes(flash))), FLASH_MS);
}

/** The nodes that an entry changed, moved or brought; what it removed is nowhere. */
export function changedNodes({ ops }: Pick<Logged, "ops">): NodePlace[] {
  const places = new Map<string, NodePlace>();
  for (const op of ops) {
    const place = changedNode(op);
    if (place !== undefined) places.set(place.node, place);
  }
  return [...places.values()];
}

function changedNode(op: Logged["ops"][number]): NodePlace | undefined {
  if (op.op === "put" && op.entity.type === "node") return { body: op.entity.body, node: op.entity.node };
  if (op.op === "place") return { body: op.body, node: op.node };
  if (op.op !== "insert" || op.new.type !== "nodes") return undefined;
  const [first] = op.new.nodes;
  return first === undefined ? undefined : { body: op.new.body, node: first.id };
}

export function useFlashes(): readonly Flash[] {
  return useSyncExternalStore(flashes.subscribe, flashes.get);
}
