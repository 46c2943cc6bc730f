// A list of options under a text field that keeps the focus: the ARIA combobox. React Aria's combobox costs 50 KB by Brotli and expects
// an <input> of its own; the assistant's field is a <textarea>, and the palette's list is drawn by itself, so this is written here.
import { type KeyboardEvent, useId, useState } from "react";

interface ListboxOptions<T> {
  options: readonly T[];
  keyOf(option: T): string;
  onPick(option: T): void;
  /** Keys that pick the active option; Enter unless said otherwise. */
  pickKeys?: readonly string[];
}

export interface Listbox<T> {
  listId: string;
  active: T | undefined;
  idOf(option: T): string;
  /** What the text field says of the list. */
  field: {
    role: "combobox";
    "aria-expanded": boolean;
    "aria-haspopup": "listbox";
    "aria-controls": string;
    "aria-autocomplete": "list";
    "aria-activedescendant": string | undefined;
  };
  /** Goes back to the first option, as when other ones are listed. */
  reset(): void;
  /** Returns whether the key was for the list. */
  onKeyDown(event: KeyboardEvent): boolean;
}

const PAGE = 8;

export function useListbox<T>({ options, keyOf, onPick, pickKeys = ["Enter"] }: ListboxOptions<T>): Listbox<T> {
  const listId = useId();
  const [position, setPosition] = useState(0);
  const last = options.length - 1;
  const at = Math.min(position, Math.max(last, 0));
  const active = options[at];
  const idOf = (option: T) => `${listId}-${keyOf(option)}`;

  function onKeyDown(event: KeyboardEvent): boolean {
    if (active === undefined || event.nativeEvent.isComposing) return false;
    const next = positionForKey(event.key, at, last);
    if (next !== undefined) {
      setPosition(next);
      const option = options[next];
      if (option !== undefined) document.getElementById(idOf(option))?.scrollIntoView({ block: "nearest" });
    } else if (pickKeys.includes(event.key)) {
      onPick(active);
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }

  return {
    listId,
    active,
    idOf,
    field: {
      role: "combobox",
      "aria-expanded": active !== undefined,
      "aria-haspopup": "listbox",
      "aria-controls": listId,
      "aria-autocomplete": "list",
      "aria-activedescendant": active && idOf(active),
    },
    reset: () => setPosition(0),
    onKeyDown,
  };
}

/** Home and End stay with the text field, whose caret they move. */
function positionForKey(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return at >= last ? 0 : at + 1;
    case "ArrowUp":
      return at <= 0 ? last : at - 1;
    case "PageDown":
      return Math.min(at + PAGE, last);
    case "PageUp":
      return Math.max(at - PAGE, 0);
    default:
      return undefined;
  }
}
