// Where the nodes of the site are in a frame. Searching a large page for each change would cost the size of the page.
const NODE = "data-sw-node";

export interface NodeIndex {
  /** The elements that show a node: none, one, or one for each row of a list. */
  find(node: string): Element[];
  /** Takes in an element and what is in it. */
  add(root: Element): void;
  clear(): void;
}

export function createNodeIndex(): NodeIndex {
  const known = new Map<string, Set<Element>>();

  function note(element: Element) {
    const node = element.getAttribute(NODE);
    if (node === null) return;
    const elements = known.get(node);
    if (elements === undefined) known.set(node, new Set([element]));
    else elements.add(element);
  }

  return {
    find(node) {
      const elements = known.get(node);
      if (elements === undefined) return [];
      // What left the page is not told; it is noticed here.
      for (const element of elements) {
        if (!element.isConnected || element.getAttribute(NODE) !== node) elements.delete(element);
      }
      return [...elements];
    },
    add(root) {
      note(root);
      for (const element of root.querySelectorAll(`[${NODE}]`)) note(element);
    },
    clear: () => known.clear(),
  };
}

/** The node that an element, or the nearest one around it, shows. */
export function nodeAt(element: Element | null): string | undefined {
  return element?.closest?.(`[${NODE}]`)?.getAttribute(NODE) ?? undefined;
}

/** The outermost drawing around an element, where it is a node of the site: people take it for one picture. */
export function drawingAt(element: Element): string | undefined {
  let drawing = element.closest("svg");
  for (let outer = drawing; outer; outer = outer.parentElement?.closest("svg") ?? null) drawing = outer;
  return drawing?.getAttribute(NODE) ?? undefined;
}
