// Keyboard shortcuts: which keys an event is, how they are written, and when they stand down.
import { type Action, type Actions, isAvailable } from "../../state/actions";

const MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** Whether an event is these keys, such as `Mod+Shift+Z`. `Mod` is Command on a Mac and Control elsewhere. */
export function isPressed(keys: string, event: Pressed, mac = MAC): boolean {
  const { key, held } = read(keys);
  const wanted = { mod: held.has("Mod"), alt: held.has("Alt"), shift: held.has("Shift") };
  if ((mac ? event.metaKey : event.ctrlKey) !== wanted.mod || (mac ? event.ctrlKey : event.metaKey)) return false;
  if (event.altKey !== wanted.alt) return false;
  // Where a sign is on the keyboard, with Shift or without, is the keyboard's business.
  const isSign = key.length === 1 && !/[a-z0-9]/i.test(key);
  if (!isSign && event.shiftKey !== wanted.shift) return false;
  // With Alt or Shift a digit writes a sign that no two keyboards agree on.
  if (/^\d$/.test(key) && event.code === `Digit${key}`) return true;
  return event.key.toLowerCase() === key.toLowerCase();
}

const MAC_NAMES: Readonly<Record<string, string>> = { Mod: "⌘", Alt: "⌥", Shift: "⇧", Delete: "⌦", Backspace: "⌫" };
const NAMES: Readonly<Record<string, string>> = { Mod: "Ctrl", Delete: "Del", Escape: "Esc" };
const SIGNS: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Plus: "+",
};

/** The keys as they are named on the keyboard, one text for each. */
export function keyNames(keys: string, mac = MAC): string[] {
  const names = mac ? MAC_NAMES : NAMES;
  return keys.split("+").map((part) => SIGNS[part] ?? names[part] ?? NAMES[part] ?? part);
}

/** The keys as `aria-keyshortcuts` takes them. */
export function ariaKeys(keys: string, mac = MAC): string {
  return keys.replace("Mod", mac ? "Meta" : "Control");
}

/** Where an event happened: in a frame of the canvas everything is about elements. */
export type Zone = "frame" | "shell";

/** Does the action whose keys were pressed, and says whether there was one. */
export function pressed(actions: Actions, event: KeyboardEvent, zone: Zone): boolean {
  if (event.defaultPrevented || event.isComposing || standsDown(event.target as Element | null)) return false;
  const about = zone === "frame" || isAboutElements(event.target as Element | null);
  const fits = (action: Action) =>
    action.areKeysNative !== true &&
    action.keys?.some((keys) => isPressed(keys, event)) === true &&
    (action.where !== "elements" || about);
  const action = actions.list().find((one) => fits(one) && isAvailable(one));
  if (action === undefined) return false;
  event.preventDefault();
  void action.run();
  return true;
}

/** Whether an event of the shell is about the selected element rather than a text, a field or a dialog. */
export function isForElements(event: Event): boolean {
  const target = event.target instanceof Element ? event.target : null;
  return !standsDown(target) && isAboutElements(target);
}

const WRITING = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";

/** While somebody writes, or answers a dialog, keys are theirs. */
function standsDown(target: Element | null): boolean {
  if (target?.closest?.(WRITING)) return true;
  return document.querySelector("dialog[open], [popover]:popover-open") !== null;
}

function isAboutElements(target: Element | null): boolean {
  if (target === null || target === document.body) return true;
  return target.closest?.("[data-zone='elements']") != null;
}

function read(keys: string): { key: string; held: ReadonlySet<string> } {
  const parts = keys.split("+");
  const key = parts.pop() ?? "";
  return { key: key === "Plus" ? "+" : key, held: new Set(parts) };
}
