// One frame of the canvas: a page of the site in an isolated document, kept up to date, with its texts open to editing. What
// happens in it is told to whoever owns the frame; which node is selected is decided there.
import { words } from "../glossary";
import { type TextPlace, textEntity } from "../site/model";
import { selection } from "../site/selection";
import { shownState } from "../site/style-scope";
import type { Sync } from "../site/sync";
import type { ColorScheme } from "./color-scheme";
import { disclose } from "./disclosure";
import { freezeHover, markHovered } from "./element-states";
import { colorPage, patchElement, patchText, textIn, updatePage, writePage } from "./frame-document";
import { createNodeIndex, drawingAt, nodeAt } from "./node-index";
import { type OutletPlace, placeOutletMark } from "./outlet-mark";
import { beginTextEdit, EDITOR_TAG, type Leaving, type TextEdit } from "./text-edit";
import { type Caret, caretAt, firstTextIn, type ShownText, shownText, textAtPoint, textBeside } from "./texts";

export interface Hit {
  node: string;
  /** Whether the node around it was asked for. */
  above: boolean;
  /** Whether it was clicked twice in a row. */
  twice: boolean;
}

export interface CanvasOwner {
  /** Something was clicked, or the focus came to it; true opens the text under the pointer. */
  onHit(hit: Hit): boolean;
  /** Nothing of the page was clicked. */
  onMiss(): void;
  /** `y` is where the pointer is, while it is in the frame. */
  onHover(node: string | undefined, y?: number): void;
  /** A key that is not part of a text; true when it was for somebody. */
  onKey(event: KeyboardEvent): boolean;
  onZoom(event: WheelEvent): void;
  /** The middle button was pressed, with which a board is pulled about. */
  onPull(event: PointerEvent): void;
  onMenu(event: MouseEvent, node: string): void;
  /** A node was pressed with a mouse or a pen, which may become a drag. */
  onPress(event: PointerEvent, node: string): void;
  /** Something is copied, cut or pasted, and not in a text. */
  onClipboard(event: ClipboardEvent): void;
  /** A text is about to be edited, and what it says so far. */
  onWrite(place: TextPlace, text: string): void;
  /** Things may be elsewhere than they were. */
  onMoved(): void;
}

export interface Canvas {
  readonly document: Document;
  show(page: string, html: string, outlet?: OutletPlace): void;
  /** Shows the page in a colour scheme; without one, in the browser's. */
  setScheme(scheme: ColorScheme | undefined): void;
  patchElement(node: string, html: string): boolean;
  patchText(parent: string, place: TextPlace, html: string): boolean;
  /** Shows a text that is being written in another frame. */
  mirror(parent: string, place: TextPlace, text: string): void;
  /** Begins to edit the first text in a node, or the text itself. Says no when it has none. */
  edit(node: string): boolean;
  /** Where a node is in the frame: nothing while it is not shown. */
  boxesOf(node: string): DOMRect[];
  reveal(node: string): void;
  /** The element that shows a node; the first of several. */
  elementOf(node: string): Element | undefined;
  /** The innermost node at a point of the frame. */
  nodeAtPoint(point: { x: number; y: number }): string | undefined;
  /** Keeps open what would hide a node, until another one is named. */
  disclose(node: string | undefined): void;
  isWriting(): boolean;
  /** Hands over what is being written, and goes on. */
  flush(): void;
  dispose(): void;
}

export function createCanvas(frame: Document, sync: Sync, editable: boolean, owner: CanvasOwner): Canvas {
  const index = createNodeIndex();
  let shownPage: string | undefined;
  let active: TextEdit | undefined;
  let outlet: OutletPlace | undefined;
  let scheme: ColorScheme | undefined;
  const leaves = [shownState.subscribe(showState), selection.subscribe(showState)];

  /** Shows the selected element in the state whose styles are edited. */
  function showState() {
    const place = shownState.get() === "hover" ? selection.get().node : undefined;
    markHovered(frame, place === undefined ? undefined : index.find(place.node)[0]);
  }

  /** The drawing whose parts are selected one by one. */
  let entered: string | undefined;
  let disclosed: string | undefined;

  /** The node that somebody points at: a drawing is one picture until it is entered. */
  function nodeUnder(target: Element): string | undefined {
    const drawing = drawingAt(target);
    return drawing === undefined || drawing === entered ? nodeAt(target) : drawing;
  }

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
      onInput(text) {
        owner.onWrite(place, text);
        owner.onMoved();
      },
      onText(text) {
        base = sync.putText(place, text, base);
      },
      onEnd(leaving) {
        active = undefined;
        go(shown, leaving);
        owner.onMoved();
      },
    });
    owner.onMoved();
  }

  /** Where the focus goes from a text whose edit has ended. */
  function go({ node }: ShownText, leaving: Leaving) {
    if (leaving === "left") return;
    const next = leaving === "stay" ? undefined : textBeside(node, frame.body, leaving);
    if (next === undefined) {
      frame.defaultView?.focus();
      return;
    }
    const around = nodeAt(next.node.parentElement);
    if (around !== undefined) owner.onHit({ node: around, above: false, twice: false });
    begin(next);
  }

  function onClick(event: MouseEvent) {
    // Links and buttons of the page do nothing here.
    event.preventDefault();
    const target = event.target as Element;
    if (target.closest(EDITOR_TAG) !== null) return;
    const drawing = drawingAt(target);
    if (drawing !== entered) entered = event.detail === 2 ? drawing : undefined;
    const node = nodeUnder(target);
    if (node === undefined) {
      owner.onMiss();
      return;
    }
    const opens = owner.onHit({ node, above: event.altKey, twice: event.detail === 2 });
    if (!opens || !editable) return;
    const shown = textAtPoint(frame, target, event.clientX, event.clientY);
    if (shown !== undefined) begin(shown, caretAt(frame, event.clientX, event.clientY));
  }

  function onKeyDown(event: KeyboardEvent) {
    if ((event.target as Element).closest?.(EDITOR_TAG) == null) owner.onKey(event);
  }

  function onWheel(event: WheelEvent) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    owner.onZoom(event);
  }

  function onContextMenu(event: MouseEvent) {
    const target = event.target as Element;
    const node = nodeUnder(target);
    if (target.closest(EDITOR_TAG) !== null || node === undefined) return;
    event.preventDefault();
    owner.onMenu(event, node);
  }

  function onPointerMove(event: PointerEvent) {
    owner.onHover(nodeUnder(event.target as Element), event.clientY);
  }

  function onPointerDown(event: PointerEvent) {
    if (event.button === 1) owner.onPull(event);
    const target = event.target as Element;
    if (event.button !== 0 || event.pointerType === "touch" || isInText(target)) return;
    const node = nodeUnder(target);
    if (node !== undefined) owner.onPress(event, node);
  }

  function onNativeDrag(event: Event) {
    if (editable && !isInText(event.target)) event.preventDefault();
  }

  function onClipboard(event: ClipboardEvent) {
    if (!isInText(event.target)) owner.onClipboard(event);
  }

  /** A link of the page that the focus comes to is what the person is at. */
  function onFocus(event: FocusEvent) {
    const target = event.target as Element;
    const node = target.closest?.(EDITOR_TAG) == null ? nodeAt(target) : undefined;
    if (node !== undefined && target !== frame.body && target.matches(":focus-visible")) {
      owner.onHit({ node, above: false, twice: false });
    }
  }

  /** A picture that arrived moves what is below it, and a stylesheet brings rules. */
  function onLoad() {
    freezeHover(frame);
    if (scheme !== undefined) colorPage(frame, scheme);
    owner.onMoved();
  }

  function listen() {
    frame.addEventListener("click", onClick);
    frame.addEventListener("keydown", onKeyDown);
    frame.addEventListener("submit", (event) => event.preventDefault());
    frame.addEventListener("pointermove", onPointerMove, { passive: true });
    frame.documentElement.addEventListener("pointerleave", () => owner.onHover(undefined));
    frame.addEventListener("wheel", onWheel, { passive: false });
    frame.addEventListener("contextmenu", onContextMenu);
    frame.addEventListener("pointerdown", onPointerDown);
    for (const kind of ["copy", "cut", "paste"] as const) frame.addEventListener(kind, onClipboard);
    // What is dragged is an element, not the words or the picture in it.
    for (const kind of ["selectstart", "dragstart"]) frame.addEventListener(kind, onNativeDrag);
    frame.addEventListener("focusin", onFocus);
    frame.addEventListener("scroll", () => owner.onMoved(), { passive: true, capture: true });
    frame.addEventListener("load", onLoad, { capture: true });
  }

  /** The text that was written in is gone: its words are the person's and must not be. */
  function rescue() {
    if (active === undefined || active.element.isConnected) return;
    const mine = active.abandon();
    const { place } = active.shown;
    active = undefined;
    if (mine !== undefined) sync.report({ message: words.site.textGone, text: { place, mine }, conflict: false });
  }

  function redisclose(): void {
    const elements = disclosed === undefined ? [] : index.find(disclosed);
    const text = disclosed === undefined || elements.length > 0 ? undefined : findText(disclosed)?.parentElement;
    if (disclose(frame, text ? [text] : elements)) owner.onMoved();
  }

  function patched(done: boolean): boolean {
    if (done) {
      rescue();
      placeOutletMark(frame, index, outlet);
      showState();
      redisclose();
      owner.onMoved();
    }
    return done;
  }

  /** The element of a node, or that around a text of it. */
  function textOf(node: string): ShownText | undefined {
    const [element] = index.find(node);
    if (element !== undefined) return firstTextIn(element);
    const marked = findText(node);
    return marked === undefined ? undefined : shownText(marked);
  }

  /** A text that is a node of its own, among others in its element. */
  function findText(node: string): Node | undefined {
    if (shownPage === undefined) return undefined;
    const around = sync.copy().node(shownPage, node)?.path.at(-1)?.id;
    const [element] = around === undefined ? [] : index.find(around);
    return element && textIn(element, { body: shownPage, node });
  }

  function boxesOf(node: string): DOMRect[] {
    const elements = index.find(node);
    if (elements.length > 0) return elements.map(boxOf);
    const text = findText(node);
    if (text === undefined) return [];
    const range = frame.createRange();
    range.selectNode(text);
    return [range.getBoundingClientRect()];
  }

  return {
    document: frame,
    show(page, html, place) {
      outlet = place;
      if (page !== shownPage) {
        active?.finish();
        writePage(frame, html);
        // Writing a document anew takes the listeners of the old one with it.
        listen();
        shownPage = page;
        index.clear();
      } else {
        updatePage(frame, html);
        rescue();
      }
      index.add(frame.documentElement);
      placeOutletMark(frame, index, outlet);
      if (scheme !== undefined) colorPage(frame, scheme);
      showState();
      redisclose();
      owner.onMoved();
    },
    setScheme(wanted) {
      if (wanted === scheme) return;
      scheme = wanted;
      colorPage(frame, scheme);
      owner.onMoved();
    },
    patchElement: (node, html) => patched(patchElement(index, node, html)),
    patchText: (parent, place, html) => patched(patchText(index, parent, place, html)),
    mirror(parent, place, text) {
      const [element] = index.find(parent);
      const shown = element && textIn(element, place);
      if (shown === undefined || shown.nodeName === EDITOR_TAG) return;
      shown.nodeValue = text;
      owner.onMoved();
    },
    edit(node) {
      const shown = editable ? textOf(node) : undefined;
      if (shown === undefined) return false;
      frame.defaultView?.focus();
      begin(shown);
      return true;
    },
    boxesOf,
    reveal(node) {
      const [element] = index.find(node);
      element?.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    elementOf: (node) => index.find(node)[0],
    nodeAtPoint({ x, y }) {
      const element = frame.elementFromPoint(x, y);
      return element === null ? undefined : nodeUnder(element);
    },
    disclose(node) {
      disclosed = node;
      redisclose();
    },
    isWriting: () => active !== undefined,
    flush: () => active?.flush(),
    dispose() {
      for (const leave of leaves) leave();
      active?.finish();
    },
  };
}

function isInText(target: EventTarget | null): boolean {
  const node = target as Node | null;
  const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : (node as Element | null);
  return element?.closest?.(EDITOR_TAG) != null;
}

/** The box of an element; of one that has none of its own, such as `display: contents`, that of what is in it. */
function boxOf(element: Element): DOMRect {
  const box = element.getBoundingClientRect();
  if (box.width > 0 || box.height > 0 || element.childElementCount === 0) return box;
  const range = element.ownerDocument.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}
