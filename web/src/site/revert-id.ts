// The ids of changes that take others back: `undo~TARGET~KEY`, or `redo~UNDO~KEY` for the revert of an undo. They name what they took
// back, as the tools `undo` and `redo` do, so that the log alone tells which changes and requests are undone.
import { newChangeId } from "./model";

/** What is to be taken back: one change, those of a turn, or everything after an entry. */
export type RevertTarget = { change: string } | { turn: string } | { after: number };

const UNDO = "undo~";
const REDO = "redo~";
const ID_CHARS_MAX = 100;
const KEY_CHARS = 12;

/** The id of a change that reverts something. */
export function newRevertId(target: RevertTarget): string {
  const key = newChangeId();
  // A restore takes back a stretch of the log and nothing that has a name.
  if ("after" in target) return key;
  return revertId("turn" in target ? target.turn : target.change, key.slice(0, KEY_CHARS));
}

/** The id of a change that reverts a change or a turn; the key alone where the whole would be longer than an id may be. */
export function revertId(target: string, key: string): string {
  const id = revertIdOf(target, key);
  return id.length > ID_CHARS_MAX ? key : id;
}

function revertIdOf(target: string, key: string): string {
  if (target.startsWith(UNDO)) return `${REDO}${target}~${key}`;
  // Undoing a redo undoes the change itself again; nesting ids would make them longer with every press.
  const redone = redoneBy(target);
  const origin = redone === undefined ? undefined : undoneBy(redone);
  return `${UNDO}${origin ?? target}~${key}`;
}

/** Whether a change only undoes or redoes others. */
export function isRevert(id: string): boolean {
  return id.startsWith(UNDO) || id.startsWith(REDO);
}

/** The change or turn that an entry of the log undid. */
export function undoneBy(id: string): string | undefined {
  return targetOf(id, UNDO);
}

/** The undo that an entry of the log took back. */
export function redoneBy(id: string): string | undefined {
  return targetOf(id, REDO);
}

/** What is reverted by the change with this id, without the key at its end. */
function targetOf(id: string, prefix: string): string | undefined {
  if (!id.startsWith(prefix)) return undefined;
  const end = id.lastIndexOf("~");
  return end < prefix.length ? id.slice(prefix.length) : id.slice(prefix.length, end);
}
