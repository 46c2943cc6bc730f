// Where the nodes of a rendered document stand, and what looks wrong about them.

import type { FrameBox, FrameLayout, FrameWarning } from "../generated/site";

const NODE = "data-sw-node";
/** What a model reads must have an end. */
const BOXES_MAX = 300;
const WARNINGS_MAX = 40;
/** Things of the page that show nothing by their nature. */
const SILENT = new Set([
  "HEAD",
  "TITLE",
  "META",
  "LINK",
  "STYLE",
  "SCRIPT",
  "TEMPLATE",
  "BR",
  "WBR",
  "SOURCE",
  "OPTION",
]);

/** The element that shows a node. */
export function nodeIn(page: Document, node: string): Element | null {
  return page.querySelector(`[${NODE}="${CSS.escape(node)}"]`);
}

/** Positions count from the box of the element that is looked at. */
export function layoutOf(page: Document, element: Element, { width }: { width: number }): FrameLayout {
  const { scrollWidth, scrollHeight, clientHeight } = page.documentElement;
  const origin = element.getBoundingClientRect();
  const shown = nodesIn(element);
  const boxes = shown.slice(0, BOXES_MAX).map((one): FrameBox => {
    const box = one.getBoundingClientRect();
    return {
      nodeId: idOf(one),
      tag: one.tagName.toLowerCase(),
      x: rounded(box.left - origin.left),
      y: rounded(box.top - origin.top),
      width: rounded(box.width),
      height: rounded(box.height),
    };
  });
  return {
    viewport: { width, height: clientHeight, scrollWidth, scrollHeight },
    boxes,
    warnings: warningsOf(shown, width),
  };
}

function nodesIn(element: Element): Element[] {
  const inside = [...element.querySelectorAll(`[${NODE}]`)];
  const all = element.hasAttribute(NODE) ? [element, ...inside] : inside;
  return all.filter(({ tagName }) => !SILENT.has(tagName));
}

function warningsOf(shown: readonly Element[], width: number): FrameWarning[] {
  const warnings: FrameWarning[] = [];
  // What is wrong with an element is wrong with everything in it; it is told once.
  const reported = new Set<Element>();
  const isReported = (one: Element) => {
    for (let at: Element | null = one; at !== null; at = at.parentElement) if (reported.has(at)) return true;
    return false;
  };
  for (const one of shown) {
    if (warnings.length >= WARNINGS_MAX) break;
    if (isReported(one)) continue;
    const found = brokenImage(one) ?? invisible(one) ?? overflow(one, width);
    if (found === undefined) continue;
    reported.add(one);
    warnings.push({ ...found, nodeId: idOf(one) });
  }
  return warnings;
}

type Found = Omit<FrameWarning, "nodeId">;

function brokenImage(element: Element): Found | undefined {
  if (element.tagName !== "IMG") return undefined;
  const image = element as HTMLImageElement;
  if (!image.complete || image.naturalWidth > 0 || image.getAttribute("src") === null) return undefined;
  return { kind: "brokenImage", message: `The picture ${image.getAttribute("src")} did not load.` };
}

function overflow(element: Element, width: number): Found | undefined {
  const box = element.getBoundingClientRect();
  if (box.width === 0) return undefined;
  if (box.right > width + 1 || box.left < -1) {
    const over = Math.ceil(Math.max(box.right - width, -box.left));
    return { kind: "overflow", message: `It reaches ${over} px beyond the edge of the window.` };
  }
  const holder = element.parentElement;
  if (holder === null || styleOf(element).position !== "static" || styleOf(holder).overflowX !== "visible")
    return undefined;
  const room = holder.getBoundingClientRect();
  if (room.width === 0 || box.width <= room.width + 1) return undefined;
  return { kind: "overflow", message: `It is ${Math.ceil(box.width - room.width)} px wider than what holds it.` };
}

function invisible(element: Element): Found | undefined {
  const style = styleOf(element);
  const box = element.getBoundingClientRect();
  if (style.display === "none") return { kind: "invisible", message: "It is not shown at this width." };
  if (style.visibility !== "visible" || Number(style.opacity) === 0) {
    return { kind: "invisible", message: "It takes room and cannot be seen." };
  }
  const hasContent = element.childNodes.length > 0 && (element.textContent ?? "").trim() !== "";
  if (hasContent && style.display !== "contents" && (box.width === 0 || box.height === 0)) {
    return { kind: "invisible", message: "It takes no room although it holds something." };
  }
  if (!hasOwnText(element)) return undefined;
  const behind = backgroundOf(element);
  if (behind === undefined || style.color !== behind) return undefined;
  return { kind: "invisible", message: `Its text has the colour of what is behind it, ${behind}.` };
}

function hasOwnText(element: Element): boolean {
  return [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && (nodeValue ?? "").trim() !== "");
}

/** The colour behind an element; nothing where a picture may be. */
function backgroundOf(element: Element): string | undefined {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const { backgroundColor, backgroundImage } = styleOf(at);
    if (backgroundImage !== "none") return undefined;
    if (backgroundColor !== "rgba(0, 0, 0, 0)") return backgroundColor;
  }
  return "rgb(255, 255, 255)";
}

function styleOf(element: Element): CSSStyleDeclaration {
  const view = element.ownerDocument.defaultView ?? window;
  return view.getComputedStyle(element);
}

const idOf = (element: Element) => element.getAttribute(NODE) ?? "";
const rounded = (value: number) => Math.round(value * 10) / 10;
