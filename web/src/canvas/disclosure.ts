// Closed `<details>` hide what is in them. On the canvas they are open while something in them is selected, so that it can be edited;
// the document is not changed by it.

/** Marks what was opened here, so that it can be closed again and what the page itself opens stays open. */
const OPENED = "data-sw-opened";

/** Opens the details that hold one of the elements, and closes those that were opened for others. Returns whether anything changed. */
export function disclose(frame: Document, elements: readonly Element[]): boolean {
  const wanted = new Set<Element>();
  for (const element of elements) {
    for (let details = element.closest("details"); details; ) {
      wanted.add(details);
      details = details.parentElement?.closest("details") ?? null;
    }
  }
  let changed = false;
  for (const details of frame.querySelectorAll(`details[${OPENED}]`)) {
    if (wanted.has(details)) continue;
    details.removeAttribute(OPENED);
    details.removeAttribute("open");
    changed = true;
  }
  for (const details of wanted) {
    if (details.hasAttribute("open")) continue;
    details.setAttribute(OPENED, "");
    details.setAttribute("open", "");
    changed = true;
  }
  return changed;
}
