// Finding texts of the site in a rendered page: the core writes a comment before each that says which one it is.
import type { TextPlace } from "../site/model";

export interface ShownText {
  place: TextPlace;
  node: Text;
}

/** What the comment before a text says. */
export function markerOf({ body, node }: TextPlace): string {
  return `sw-text ${body} ${node}`;
}

/** The text of the site that a text of the page shows. */
export function shownText(node: Node | null): ShownText | undefined {
  if (node === null || node.nodeType !== Node.TEXT_NODE) return undefined;
  const [, body, id] = /^sw-text (\w+) (\w+)$/.exec(marker(node.previousSibling)) ?? [];
  return body === undefined || id === undefined ? undefined : { place: { body, node: id }, node: node as Text };
}

function marker(node: Node | null): string {
  return node?.nodeType === Node.COMMENT_NODE ? (node.nodeValue ?? "") : "";
}

/** The next text of the page in reading order, or the one before. */
export function textBeside(node: Node, root: Node, way: "next" | "previous"): ShownText | undefined {
  const walker = (root.ownerDocument ?? (root as Document)).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  walker.currentNode = node;
  const step = () => (way === "next" ? walker.nextNode() : walker.previousNode());
  for (let other = step(); other !== null; other = step()) {
    const text = shownText(other);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The text under a point, else the first one directly in the element that was hit. */
export function textAtPoint(document: Document, target: Element, x: number, y: number): ShownText | undefined {
  const found = shownText(caretAt(document, x, y)?.node ?? null);
  // A caret is found beside the text too, as far as the end of the page; only what was hit counts.
  if (found !== undefined && (target === found.node.parentElement || found.node.parentElement?.contains(target))) {
    return found;
  }
  return firstTextIn(target);
}

export function firstTextIn(element: Element): ShownText | undefined {
  for (const child of element.childNodes) {
    const text = shownText(child);
    if (text !== undefined) return text;
  }
  return undefined;
}

export interface Caret {
  node: Node;
  offset: number;
}

export function caretAt(document: Document, x: number, y: number): Caret | undefined {
  const position = document.caretPositionFromPoint?.(x, y);
  if (position) return { node: position.offsetNode, offset: position.offset };
  // Safari knows only the older name.
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** How a text is written while a person edits it: as it is seen, without the spaces that HTML folds away. */
export function seen(stored: string, keepsSpaces: boolean): string {
  return keepsSpaces ? stored : stored.replace(/[ \t\n\r\f]+/g, " ").trim();
}

/** What is stored for an edited text: the spaces around it stay, because they keep it apart from its neighbours. */
export function toStore(stored: string, edited: string, keepsSpaces: boolean): string {
  if (keepsSpaces) return edited;
  const [before] = /^[ \t\n\r\f]*/.exec(stored) ?? [""];
  const [after] = /[ \t\n\r\f]*$/.exec(stored) ?? [""];
  return before + edited.replaceAll("\u00a0", " ").trim() + after;
}
