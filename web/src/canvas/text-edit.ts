// Editing one text where it stands. Nothing is decided here about saving: what was written is handed over after a pause, and when
// the person leaves the text.
import { words } from "../glossary";
import { type Caret, type ShownText, seen, toStore } from "./texts";

export const EDITOR_TAG = "SW-TEXT";
const PAUSE_MS = 2000;

export interface TextEdit {
  shown: ShownText;
  element: HTMLElement;
  /** Hands over what was written so far and goes on. */
  flush(): void;
  /** Ends the edit; what was written is handed over. Ending twice does nothing. */
  finish(): void;
  /** Ends the edit of a text that is gone, and tells what was written and not handed over. */
  abandon(): string | undefined;
}

/** Where the focus goes when an edit ends: it has left already, stays with the text, or goes on to another one. */
export type Leaving = "left" | "stay" | "next" | "previous";

export interface TextEditOptions {
  shown: ShownText;
  stored: string;
  /** Where the pointer was; without one everything is selected. */
  caret?: Caret;
  /** Told each time something was written, long before it is handed over. */
  onInput(text: string): void;
  onText(text: string): void;
  onEnd(leaving: Leaving): void;
}

export function beginTextEdit({ shown, stored, caret, onInput, onText, onEnd }: TextEditOptions): TextEdit {
  const { node } = shown;
  const document = node.ownerDocument;
  const parent = node.parentElement;
  const keepsSpaces = /pre|break/.test((parent && document.defaultView?.getComputedStyle(parent).whiteSpace) ?? "");
  const element = document.createElement(EDITOR_TAG);
  const offset = caret?.node === node ? seen(node.data.slice(0, caret.offset), keepsSpaces).length : undefined;
  element.setAttribute("contenteditable", "plaintext-only");
  element.setAttribute("role", "textbox");
  element.setAttribute("aria-multiline", "true");
  element.setAttribute("aria-label", words.site.textField);
  element.textContent = seen(stored, keepsSpaces);
  node.replaceWith(element);
  element.focus({ preventScroll: offset !== undefined });
  select(element, offset);

  let handed = stored;
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const text = () => toStore(stored, element.textContent ?? "", keepsSpaces);

  function handOver(value: string) {
    clearTimeout(timer);
    if (value === handed) return;
    handed = value;
    onText(value);
  }

  function end(value: string, leaving: Leaving) {
    if (ended) return;
    ended = true;
    node.data = value;
    // Removing what has the focus tells of it once more.
    if (element.isConnected) element.replaceWith(node);
    handOver(value);
    onEnd(leaving);
  }

  element.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => handOver(text()), PAUSE_MS);
    onInput(text());
  });
  element.addEventListener("blur", () => end(text(), "left"));
  element.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const lineBreak = event.shiftKey && keepsSpaces;
    if (event.key === "Enter" && !lineBreak) end(text(), "stay");
    else if (event.key === "Escape") end(stored, "stay");
    else if (event.key === "Tab") end(text(), event.shiftKey ? "previous" : "next");
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    shown,
    element,
    flush: () => handOver(text()),
    finish: () => end(text(), "left"),
    abandon() {
      ended = true;
      clearTimeout(timer);
      return text() === handed ? undefined : text();
    },
  };
}

function select(element: HTMLElement, offset: number | undefined) {
  const selection = element.ownerDocument.getSelection();
  const text = element.firstChild;
  if (selection === null || text === null) return;
  if (offset === undefined) selection.selectAllChildren(element);
  else selection.collapse(text, Math.min(offset, text.nodeValue?.length ?? 0));
}
