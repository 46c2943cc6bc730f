// The document in a frame of the canvas: a page of the site without scripts, brought up to date as a whole or in parts.
import type { TextPlace } from "../site/model";
import { type ColorScheme, schemeCss, showScheme } from "./color-scheme";
import { freezeHover } from "./element-states";
import { morph } from "./morph";
import type { NodeIndex } from "./node-index";
import { MARK_TAG } from "./outlet-mark";
import { EDITOR_TAG } from "./text-edit";
import { markerOf } from "./texts";

/** How a text looks while it is edited. It is beside the site's own styles and never in them. */
const CANVAS_CSS = `
  :focus { outline: none !important; }
  ${EDITOR_TAG} {
    display: inline; white-space: pre-wrap; border-radius: 2px; cursor: text;
    min-width: 1ch; box-shadow: 0 0 0 4px rgb(47 143 107 / 0.16) !important;
  }
  ${MARK_TAG} {
    display: block; box-sizing: border-box; margin: 16px; padding: 56px 16px; text-align: center;
    font: 500 16px/1.5 system-ui, sans-serif; color: #1d5c45; background: rgb(255 255 255 / 0.85);
    border: 2px dashed #2f8f6b; border-radius: 8px;
  }
`;

const keeps = (node: Node) => node.nodeName === EDITOR_TAG;

/** Shows a page from nothing: a new doctype can only be had this way. */
export function writePage(frame: Document, html: string): void {
  frame.open();
  frame.write(html);
  frame.close();
  const view = viewOf(frame);
  if (view === null) return;
  const sheets = [new view.CSSStyleSheet(), new view.CSSStyleSheet()];
  sheets[0]?.replaceSync(CANVAS_CSS);
  frame.adoptedStyleSheets = sheets;
  freezeHover(frame);
}

/** Shows the page in a colour scheme, whatever the browser's own is; without one, in the browser's. */
export function colorPage(frame: Document, scheme: ColorScheme | undefined): void {
  const [, schemeSheet] = frame.adoptedStyleSheets;
  // What the site says itself is read without our own rule.
  schemeSheet?.replaceSync("");
  showScheme(frame, scheme);
  schemeSheet?.replaceSync(schemeCss(frame, scheme));
}

/** Brings a page up to date and leaves alone what somebody is writing in. */
export function updatePage(frame: Document, html: string): void {
  // The frame's own parser: that of the shell would hold the page to the shell's rules for styles.
  const view = viewOf(frame);
  if (view === null) return;
  const wanted = new view.DOMParser().parseFromString(html, "text/html");
  morph(frame.documentElement, wanted.documentElement, keeps);
  freezeHover(frame);
}

/** Writes one element anew; without HTML it goes. Says no where only the whole page can tell what becomes of it. */
export function patchElement(index: NodeIndex, node: string, html: string): boolean {
  const found = index.find(node);
  if (html === "") {
    for (const element of found) element.remove();
    return true;
  }
  const [element] = found;
  const parent = element?.parentElement;
  if (found.length !== 1 || element === undefined || !parent) return false;
  const wanted = parsed(parent, html);
  const [only] = wanted.children;
  if (wanted.childNodes.length !== 1 || only === undefined) return false;
  if (only.nodeName === element.nodeName) {
    morph(element, only, keeps);
    index.add(element);
  } else {
    const made = element.ownerDocument.importNode(only, true);
    element.replaceWith(made);
    index.add(made);
  }
  return true;
}

/** Writes one text anew. */
export function patchText(index: NodeIndex, parent: string, place: TextPlace, html: string): boolean {
  const found = index.find(parent);
  const [element] = found;
  if (found.length !== 1 || element === undefined) return false;
  const shown = textIn(element, place);
  const [marker, text] = parsed(element, html).childNodes;
  if (shown === undefined || marker?.nodeValue !== markerOf(place)) return false;
  if (!keeps(shown) && shown.nodeValue !== (text?.nodeValue ?? "")) shown.nodeValue = text?.nodeValue ?? "";
  return true;
}

/** What shows a text, right after its marker: the text, or the field it is written in. */
export function textIn(element: Element, place: TextPlace): Node | undefined {
  const marker = markerOf(place);
  for (const child of element.childNodes) {
    if (child.nodeType !== Node.COMMENT_NODE || child.nodeValue !== marker) continue;
    const next = child.nextSibling;
    return next !== null && (next.nodeType === Node.TEXT_NODE || keeps(next)) ? next : undefined;
  }
  return undefined;
}

/** HTML read as what stands in an element, in a document in which nothing is loaded. */
function parsed(context: Element, html: string): Element {
  const apart = context.ownerDocument.implementation.createHTMLDocument("");
  const holder = apart.importNode(context, false);
  holder.innerHTML = html;
  return holder;
}

function viewOf(frame: Document): (Window & typeof globalThis) | null {
  return frame.defaultView as (Window & typeof globalThis) | null;
}
