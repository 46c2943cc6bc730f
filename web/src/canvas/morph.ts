// Makes a document look like another one by changing only what differs, so that scrolling, focus and the text somebody is writing
// in stay where they are. Elements are the same when they show the same node of the site.
const NODE = "data-sw-node";

/** `keeps` says which of the old nodes stand for the text in their place and must not be touched. */
export function morph(old: Element, wanted: Element, keeps: (node: Node) => boolean): void {
  copyAttributes(old, wanted);
  morphChildren(old, wanted, keeps);
}

function morphChildren(parent: Node, wanted: Node, keeps: (node: Node) => boolean): void {
  let at: ChildNode | null = parent.firstChild as ChildNode | null;
  for (const next of [...wanted.childNodes]) {
    const same = find(at, next, keeps);
    if (same === undefined) {
      parent.insertBefore(parent.ownerDocument?.importNode(next, true) ?? next, at);
      continue;
    }
    // What stands in between was removed, or comes later and is made anew.
    while (at !== null && at !== same) at = removed(at);
    at = same.nextSibling as ChildNode | null;
    if (keeps(same)) continue;
    if (same.nodeType === Node.ELEMENT_NODE) morph(same as Element, next as Element, keeps);
    else if (same.nodeValue !== next.nodeValue) same.nodeValue = next.nodeValue;
  }
  while (at !== null) at = removed(at);
}

function removed(node: ChildNode): ChildNode | null {
  const next = node.nextSibling as ChildNode | null;
  node.remove();
  return next;
}

/** The node that is to become `next`: the one that stands here, or further on one that shows the same node of the site. */
function find(at: ChildNode | null, next: Node, keeps: (node: Node) => boolean): ChildNode | undefined {
  if (at !== null && isSame(at, next, keeps)) return at;
  const named = next.nodeType === Node.ELEMENT_NODE ? (next as Element).hasAttribute(NODE) : isMarker(next);
  if (!named) return undefined;
  for (let node = at; node !== null; node = node.nextSibling as ChildNode | null) {
    if (isSame(node, next, keeps) && (node.nodeType !== Node.COMMENT_NODE || node.nodeValue === next.nodeValue)) {
      return node;
    }
  }
  return undefined;
}

function isSame(node: Node, next: Node, keeps: (node: Node) => boolean): boolean {
  if (keeps(node)) return next.nodeType === Node.TEXT_NODE;
  if (node.nodeType !== next.nodeType) return false;
  // A text belongs to the marker before it, so markers are the same only for the same text.
  if (isMarker(node) || isMarker(next)) return node.nodeValue === next.nodeValue;
  if (node.nodeType !== Node.ELEMENT_NODE) return true;
  const [one, other] = [node as Element, next as Element];
  return one.nodeName === other.nodeName && one.getAttribute(NODE) === other.getAttribute(NODE);
}

function isMarker(node: Node): boolean {
  return node.nodeType === Node.COMMENT_NODE && (node.nodeValue ?? "").startsWith("sw-text ");
}

function copyAttributes(old: Element, wanted: Element): void {
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of [...wanted.attributes]) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}
