// Which turns are taken back, as the history of the site tells it.
import type { HistoryItem } from "../generated/api";
import { redoneBy, undoneBy } from "../site/revert-id";

type Change = Pick<HistoryItem, "id" | "turn">;

/** The turns of which nothing is left. `changes` are the newest first. */
export function revertedTurns(changes: readonly Change[]): ReadonlySet<string> {
  const undone = undoneNames(changes);
  const isLeft = new Map<string, boolean>();
  for (const { id, turn } of changes) {
    if (turn == null) continue;
    isLeft.set(turn, (isLeft.get(turn) ?? false) || !(undone.has(turn) || undone.has(id)));
  }
  return new Set([...isLeft].flatMap(([turn, isAnyLeft]) => (isAnyLeft ? [] : [turn])));
}

/** The changes and turns that are undone and not redone since. */
function undoneNames(changes: readonly Change[]): ReadonlySet<string> {
  const undone = new Set<string>();
  const redone = new Set<string>();
  for (const { id } of changes) {
    const again = redoneBy(id);
    if (again !== undefined) redone.add(again);
    const name = undoneBy(id);
    if (name !== undefined && !redone.has(id)) undone.add(name);
  }
  return undone;
}
