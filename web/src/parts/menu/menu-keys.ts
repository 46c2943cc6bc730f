// The keys of a menu, as everywhere: arrows, Home and End, and the first letter of an item. The focus itself moves, so an item needs no
// tab stop of its own.
import type { KeyboardEvent } from "react";

const ITEMS = "[role=menuitem], [role=menuitemradio]";

export function focusItem(menu: HTMLElement | null, which: "first" | "last"): void {
  itemsOf(menu)
    .at(which === "first" ? 0 : -1)
    ?.focus();
}

/** Moves the focus among the items of the menu that heard the key. Returns whether the key was for it. */
export function moveInMenu(event: KeyboardEvent<HTMLElement>): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = itemForKey(items, at, event.key);
  if (next === undefined) return false;
  event.preventDefault();
  next.focus();
  return true;
}

function itemForKey(items: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  switch (key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items.at(at <= 0 ? -1 : at - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default:
      return key.length === 1 && key !== " " ? itemForLetter(items, at, key.toLocaleLowerCase()) : undefined;
  }
}

/** The next item after the current one that begins with the letter. */
function itemForLetter(items: readonly HTMLElement[], at: number, letter: string): HTMLElement | undefined {
  const begins = (item: HTMLElement) => item.textContent?.trim().toLocaleLowerCase().startsWith(letter);
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(begins);
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
}
