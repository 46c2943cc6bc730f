// Where something new goes: beside or into what was pointed at, or where it fits best for what is selected.
import { readField } from "../../../api/read-field";
import { type Layer, type NodeView, newChangeId } from "../../../site/model";
import type { SiteCopy } from "../../../site/site-copy";
import type { Target } from "../layers/drop";

/** Whole sections go beside other sections, everything else beside or into elements. */
export type InsertKind = "section" | "block";

type Copy = Pick<SiteCopy, "node" | "layers">;

/** Elements that other blocks are put into. */
const CONTAINER =
  /^(main|section|article|aside|header|footer|nav|div|form|fieldset|figure|blockquote|details|li|dd|td|th)$/;
/** Elements whose content model has no room for blocks: what is put beside their content goes beside them instead. */
const NO_BLOCKS =
  /^(p|h[1-6]|a|span|em|strong|b|i|u|s|small|sub|sup|mark|abbr|time|code|pre|label|button|summary|dt|figcaption|ul|ol|dl|menu|table|thead|tbody|tfoot|tr|select|picture|video|audio|svg)$/;
const LISTS = /^(ul|ol|menu)$/;

export function isContainer({ kind, tag, hasLayers }: Layer, text?: unknown): boolean {
  return kind === "element" && CONTAINER.test(tag ?? "") && (hasLayers || text === undefined);
}

/** Whether an element has room for a block, or for a list item where that is what is put into it. */
export function takes({ kind, tag: name }: Layer, isItem = false): boolean {
  const tag = name ?? "";
  if (kind === "loop" || kind === "component") return true;
  if (kind !== "element") return false;
  return isItem ? LISTS.test(tag) : CONTAINER.test(tag) || tag === "body";
}

/** The sections of a page in order: what lies in its root, and in the place of `main` what lies in that. */
export function sectionsOf(copy: Copy, body: string): Layer[] {
  return copy
    .layers(body)
    .flatMap((layer) => (layer.tag === "main" && layer.hasLayers ? copy.layers(body, layer.id) : [layer]))
    .filter(({ kind }) => kind !== "text" && kind !== "comment");
}

/** The section that a node is, or lies in. */
export function sectionOf(copy: Copy, body: string, node: string): string | undefined {
  const sections = new Set(sectionsOf(copy, body).map(({ id }) => id));
  const view = copy.node(body, node);
  return [...(view?.path ?? []), ...(view === undefined ? [] : [view])].find(({ id }) => sections.has(id))?.id;
}

/** Where something goes when nobody has pointed at a place. `tag` is that of what comes, where it matters. */
export function defaultTarget(
  copy: Copy,
  body: string,
  root: string,
  selected: string | undefined,
  kind: InsertKind,
  tag?: string,
): Target {
  const view = selected === undefined ? undefined : copy.node(body, selected);
  if (!view?.place) return atEnd(copy, body, root);
  if (view.tag === "main") return { id: view.id, side: "inside" };
  if (kind === "section") {
    const section = sectionOf(copy, body, view.id);
    return section === undefined ? atEnd(copy, body, root) : { id: section, side: "after" };
  }
  // A form is complete as it is; what comes next goes below it.
  if (isContainer(view, view.text) && view.tag !== "form" && tag !== view.tag) return { id: view.id, side: "inside" };
  return { id: withRoom(view, tag), side: "after" };
}

/** The node itself, or the nearest around it that a block can stand beside. */
function withRoom(view: NodeView, tag: string | undefined): string {
  const line: Layer[] = [...view.path, view];
  let at = line.length - 1;
  const drawing = line.findIndex((layer) => layer.tag === "svg");
  if (drawing > 0) at = drawing;
  const isItem = tag === "li";
  while (at > 1) {
    const parent = line[at - 1];
    if (parent === undefined || !NO_BLOCKS.test(parent.tag ?? "") || (isItem && takes(parent, true))) break;
    at--;
  }
  return line[at]?.id ?? view.id;
}

/** The end of the page, before its footer where that is part of the page. */
function atEnd(copy: Copy, body: string, root: string): Target {
  const main = copy.layers(body).find(({ tag }) => tag === "main");
  const inMain = main && copy.layers(body, main.id).findLast(({ kind }) => kind !== "text");
  if (inMain !== undefined) return { id: inMain.id, side: "after" };
  if (main !== undefined) return { id: main.id, side: "inside" };
  const last = sectionsOf(copy, body).at(-1);
  if (last === undefined) return { id: root, side: "inside" };
  return { id: last.id, side: last.tag === "footer" ? "before" : "after" };
}

/** The parent and the position among its children, as `insertHtml` counts them: with white space and comments. */
export function positionOf(copy: Copy, body: string, { id, side }: Target): { parentId: string; index?: number } {
  const place = side === "inside" ? undefined : copy.node(body, id)?.place;
  if (!place) return { parentId: id };
  let index = side === "after" ? 1 : 0;
  for (let before = place.after; before; before = copy.node(body, before)?.place?.after) index++;
  return { parentId: place.parent, index };
}

/** The root of an open document, which is told by its nodes, or by the core when it has none. */
export function rootOf(copy: Pick<SiteCopy, "node" | "layers" | "runTool">, body: string): string | undefined {
  const [first] = copy.layers(body);
  const root = first && copy.node(body, first.id)?.path[0]?.id;
  if (root !== undefined) return root;
  const listed = copy.runTool("list_documents", { input: {}, change: newChangeId() });
  const documents = "done" in listed ? readField(listed.done.data, "documents") : undefined;
  const all: unknown[] = Array.isArray(documents) ? documents : [];
  const own = all.find((one) => readField(readField(one, "document"), "id") === body);
  const id = readField(own, "rootNodeId");
  return typeof id === "string" ? id : undefined;
}
