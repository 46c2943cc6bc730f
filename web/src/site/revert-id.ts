// The ids of changes that take others back. They name what they took back, as the server's own undo and redo do, so that the log alone
// tells which changes and requests are undone.
import { newChangeId } from "./model";

/** What is to be taken back: one change, those of a turn, or everything after an entry. */
export type RevertTarget = { change: string } | { turn: string } | { after: number };

const UNDO = "undo~";
const REDO = "redo~";

/** The id of a change that undoes a change or turn. Undoing an undo is redoing. */
export function newRevertId(target: RevertTarget): string {
  // A restore takes back a stretch of the log and nothing that has a name.
  if ("after" in target) return newChangeId();
  const name = "turn" in target ? target.turn : target.change;
  return `${name.startsWith(UNDO) ? REDO : UNDO}${name}~${newChangeId().slice(0, 12)}`;
}

/** The change or turn that an entry of the log undid. */
export function undoneBy(id: string): string | undefined {
  return id.startsWith(UNDO) ? withoutKey(id.slice(UNDO.length)) : undefined;
}

/** The undo that an entry of the log took back. */
export function redoneBy(id: string): string | undefined {
  return id.startsWith(REDO) ? withoutKey(id.slice(REDO.length)) : undefined;
}

function withoutKey(rest: string): string {
  const end = rest.lastIndexOf("~");
  return end < 0 ? rest : rest.slice(0, end);
}
