// A section as it would look on a page: inserted by the same tool, on a page that is rendered and never kept, so that rules of the site
// that go before those of the section do so in the picture too.
import { readField } from "../../../api/read-field";
import { newChangeId } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import { positionOf } from "./insert-point";
import { currentTarget } from "./insertion";

export interface SectionPreview {
  /** The whole page with the section in it; nothing when it cannot be inserted. */
  page(html: string): Promise<string | undefined>;
  /** Takes out of a shown page everything but the section and what is around it. */
  leaveOnly(document: Document): void;
}

/** Marks the section in the page, whatever its node is called. */
const SHOWN = "data-sw-shown";

export function createSectionPreview(sync: Sync, page: string): SectionPreview {
  return {
    async page(html) {
      const target = currentTarget({ sync, page }, "section");
      if (target === undefined) return undefined;
      try {
        const input = { ...positionOf(sync.copy(), page, target), html, headings: "oneMain" };
        const { data, ops } = await sync.plan("insertHtml", { input, view: { current: page }, change: newChangeId() });
        const rendered = await sync.renderWith(page, ops);
        const ids: unknown = readField(data, "nodeIds");
        return (Array.isArray(ids) ? ids : []).reduce<string>(
          (text, id) => text.replace(`data-sw-node="${String(id)}"`, `$& ${SHOWN}`),
          rendered.html,
        );
      } catch {
        // A picture that is missing says less than the refusal itself, which comes with the choice.
        return undefined;
      }
    },
    leaveOnly(document) {
      const shown = [...document.querySelectorAll(`[${SHOWN}]`)];
      const kept = new Set<Element>();
      for (const one of shown)
        for (let element: Element | null = one; element; element = element.parentElement) kept.add(element);
      const prune = (parent: Element) => {
        for (const child of [...parent.children]) {
          if (!kept.has(child)) child.remove();
          else if (!child.hasAttribute(SHOWN)) prune(child);
        }
      };
      if (shown.length > 0) prune(document.body);
    },
  };
}
