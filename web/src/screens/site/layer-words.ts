// How elements are called on screen.
import { words } from "../../glossary";
import type { Layer, Lock } from "../../site/model";

/** With a capital, as at the beginning of a line. */
export function layerName({ name }: Pick<Layer, "name">): string {
  return name.charAt(0).toLocaleUpperCase() + name.slice(1);
}

/** What is unusual about an element, for those who do not see the signs. */
export function layerMarks({ hidden, lock }: Pick<Layer, "hidden" | "lock">): string[] {
  const marks: string[] = [];
  if (hidden) marks.push(words.editor.isHidden);
  if (lock !== "open") marks.push(lockWords(lock));
  return marks;
}

export function lockWords(lock: Lock): string {
  return words.editor.forAgents(words.inspector.locks[lock][0]);
}
