// The document in the canvas frame: a page of the site without scripts, in which texts can be found and edited.
import { morph } from "./morph";
import { EDITOR_TAG } from "./text-edit";
import { shownTexts } from "./texts";

/** How texts look when they can be edited. It is beside the site's own styles and never in them. */
const CANVAS_CSS = `
  [data-sw-editable] { cursor: text; }
  [data-sw-editable]:hover { outline: 1px dashed #2f8f6b; outline-offset: 3px; }
  [data-sw-editable]:focus-visible { outline: 2px solid #2f8f6b; outline-offset: 3px; }
  ${EDITOR_TAG} {
    display: inline; white-space: pre-wrap; outline: 2px solid #2f8f6b; outline-offset: 3px; border-radius: 2px; cursor: text;
    min-width: 1ch; box-shadow: 0 0 0 5px rgb(47 143 107 / 0.14);
  }
`;

/** Shows a page from nothing: a new doctype can only be had this way. */
export function writePage(frame: Document, html: string, editable: boolean): void {
  frame.open();
  frame.write(html);
  frame.close();
  if (editable) markTexts(frame);
  const view = viewOf(frame);
  if (view === null) return;
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(CANVAS_CSS);
  frame.adoptedStyleSheets = [sheet];
}

/** Brings a page up to date and leaves alone what somebody is writing in. */
export function updatePage(frame: Document, html: string, editable: boolean): void {
  // The frame's own parser: that of the shell would hold the page to the shell's rules for styles.
  const view = viewOf(frame);
  if (view === null) return;
  const wanted = new view.DOMParser().parseFromString(html, "text/html");
  if (editable) markTexts(wanted);
  morph(frame.documentElement, wanted.documentElement, (node) => node.nodeName === EDITOR_TAG);
}

/** What holds a text can be reached with the keyboard. */
function markTexts(document: Document): void {
  for (const { node } of shownTexts(document.body)) {
    node.parentElement?.setAttribute("data-sw-editable", "");
    node.parentElement?.setAttribute("tabindex", "0");
  }
}

function viewOf(frame: Document): (Window & typeof globalThis) | null {
  return frame.defaultView as (Window & typeof globalThis) | null;
}
