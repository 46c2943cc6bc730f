// The canvas: a page of the site in a frame, kept up to date, with its texts open to editing.
import { words } from "../glossary";
import { textEntity } from "../site/model";
import type { Sync } from "../site/sync";
import { updatePage, writePage } from "./frame-document";
import { beginTextEdit, EDITOR_TAG, type Leaving, type TextEdit } from "./text-edit";
import { type Caret, caretAt, firstTextIn, type ShownText, shownTexts, textAtPoint } from "./texts";

export interface Canvas {
  show(page: string, html: string): void;
  /** Hands over what is being written, and goes on. */
  flush(): void;
  dispose(): void;
}

export function createCanvas(frame: Document, sync: Sync, editable: boolean): Canvas {
  let shownPage: string | undefined;
  let active: TextEdit | undefined;

  function begin(shown: ShownText, caret?: Caret) {
    const { place } = shown;
    const stored = sync.copy().field(textEntity(place), "text");
    if (typeof stored !== "string") return;
    // The edit relies on the text as it is now, not as it is when the person has finished.
    let base = sync.textBase(place);
    active = beginTextEdit({
      shown,
      stored,
      caret,
      onText(text) {
        base = sync.putText(place, text, base);
      },
      onEnd(leaving) {
        active = undefined;
        go(shown, leaving);
      },
    });
  }

  /** Where the focus goes from a text whose edit has ended. */
  function go({ node }: ShownText, leaving: Leaving) {
    if (leaving === "left") return;
    if (leaving === "stay") {
      node.parentElement?.focus({ preventScroll: true });
      return;
    }
    const texts = shownTexts(frame.body);
    const at = texts.findIndex((text) => text.node === node);
    const next = texts[leaving === "next" ? at + 1 : at - 1];
    if (next !== undefined) begin(next);
    else node.parentElement?.focus();
  }

  function onClick(event: MouseEvent) {
    // Links and buttons of the page do nothing here.
    event.preventDefault();
    const target = event.target as Element;
    if (!editable || target.closest(EDITOR_TAG) !== null) return;
    const shown = textAtPoint(frame, target, event.clientX, event.clientY);
    if (shown !== undefined) begin(shown, caretAt(frame, event.clientX, event.clientY));
  }

  function onKeyDown(event: KeyboardEvent) {
    const target = event.target as Element;
    if (!editable || event.key !== "Enter" || target.closest(EDITOR_TAG) !== null) return;
    const shown = firstTextIn(target);
    if (shown === undefined) return;
    event.preventDefault();
    begin(shown);
  }

  function listen() {
    frame.addEventListener("click", onClick);
    frame.addEventListener("keydown", onKeyDown);
    frame.addEventListener("submit", (event) => event.preventDefault());
  }

  return {
    show(page, html) {
      if (page !== shownPage) {
        active?.finish();
        writePage(frame, html, editable);
        // Writing a document anew takes the listeners of the old one with it.
        listen();
        shownPage = page;
        return;
      }
      updatePage(frame, html, editable);
      if (active === undefined || active.element.isConnected) return;
      const mine = active.abandon();
      const { place } = active.shown;
      active = undefined;
      if (mine !== undefined) sync.report({ message: words.site.textGone, text: { place, mine }, conflict: false });
    },
    flush: () => active?.flush(),
    dispose: () => active?.finish(),
  };
}
