// What a drag on the canvas takes along, and where it would land. Boxes come from the frame; everything else from the document.
import type { Layer, NodeView } from "../../../site/model";
import type { SiteCopy } from "../../../site/site-copy";
import { dropOp, type Side, type Target } from "../layers/drop";
import { type InsertKind, isContainer, sectionsOf, takes } from "./insert-point";

type Copy = Pick<SiteCopy, "node" | "layers">;

export interface Point {
  x: number;
  y: number;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where a node is in the frame; undefined while it is not shown. */
export type BoxOf = (node: string) => Box | undefined;

/** Words in a sentence, which are part of a text rather than things to move. */
const INLINE = /^(b|i|u|s|em|strong|span|small|sub|sup|mark|code|abbr|time|br)$/;

/**
 * The node that a drag from here moves: what is selected when the pointer is on it, else the nearest that repeats, such as a card among
 * cards or a section among sections, else what was pressed.
 */
export function draggedNode(
  copy: Copy,
  body: string,
  pressed: string,
  selected: string | undefined,
): string | undefined {
  const view = copy.node(body, pressed);
  if (!view?.place) return undefined;
  const line: Layer[] = [...view.path.slice(1), view].reverse();
  if (line.some(({ id }) => id === selected)) return selected;
  const things = line.filter(({ kind, tag }) => kind !== "text" && !INLINE.test(tag ?? ""));
  return (things.find(({ id }) => repeats(copy, body, id)) ?? things[0])?.id;
}

/** Whether one of its neighbours is of the same kind. */
function repeats(copy: Copy, body: string, id: string): boolean {
  const view = copy.node(body, id);
  return view?.beside.some((other) => other !== null && isAlike(view, copy.node(body, other))) === true;
}

function isAlike(one: NodeView, other: NodeView | undefined): boolean {
  const first = (view: NodeView) => view.classes?.trim().split(/\s+/)[0];
  return one.kind === other?.kind && one.tag === other.tag && first(one) === first(other);
}

export interface DropQuestion {
  body: string;
  /** The innermost node under the pointer. */
  hit: string;
  point: Point;
  boxOf: BoxOf;
}

/** Where a node of the page would be put; nothing where it cannot go or already is. */
export function moveTarget(copy: Copy, node: string, question: DropQuestion): Target | undefined {
  const { body, hit } = question;
  const [own, over] = [copy.node(body, node), copy.node(body, hit)];
  if (!own?.place || over === undefined) return undefined;
  const line: Layer[] = [...over.path, over].reverse();
  if (line.some(({ id }) => id === node)) return undefined;
  const sections = sectionsOf(copy, body);
  const isSection = sections.some(({ id }) => id === node);
  const siblings = isSection ? sections : copy.layers(body, own.place.parent);
  const sibling = line.find(({ id }) => siblings.some((one) => one.id === id));
  const found =
    sibling === undefined
      ? isSection
        ? undefined
        : targetInside(copy, line, question, own.tag === "li")
      : { id: sibling.id, side: sideOf(copy, sibling.id, question) };
  return found !== undefined && dropOp(copy, body, node, found) !== undefined ? found : undefined;
}

/** Where something new would be put. */
export function insertTarget(copy: Copy, kind: InsertKind, question: DropQuestion): Target | undefined {
  const { body, hit } = question;
  const over = copy.node(body, hit);
  if (over === undefined) return undefined;
  const line: Layer[] = [...over.path, over].reverse();
  if (kind === "block") return targetInside(copy, line, question, false);
  const sections = sectionsOf(copy, body);
  const section = line.find(({ id }) => sections.some((one) => one.id === id));
  return section && { id: section.id, side: sideOf(copy, section.id, question) };
}

/** Beside the nearest thing that lies in a container, or into the container where it is empty. `line` goes from the inside out. */
function targetInside(copy: Copy, line: readonly Layer[], question: DropQuestion, isItem: boolean): Target | undefined {
  const at = line.findIndex((layer) => takes(layer, isItem));
  const container = line[at];
  if (container === undefined) return undefined;
  const child = line[at - 1];
  if (child !== undefined) return { id: child.id, side: sideOf(copy, child.id, question) };
  const children = copy.layers(question.body, container.id).filter(({ kind }) => kind !== "text");
  if (children.length === 0 && isContainer(container)) return { id: container.id, side: "inside" };
  const nearest = nearestTo(question.point, children, question.boxOf);
  if (nearest === undefined) return { id: container.id, side: "inside" };
  return { id: nearest, side: sideOf(copy, nearest, question) };
}

function nearestTo(point: Point, layers: readonly Layer[], boxOf: BoxOf): string | undefined {
  let nearest: { id: string; distance: number } | undefined;
  for (const { id } of layers) {
    const box = boxOf(id);
    if (box === undefined) continue;
    const beyond = (at: number, from: number, length: number) => Math.max(from - at, 0, at - from - length);
    const distance = Math.hypot(beyond(point.x, box.left, box.width), beyond(point.y, box.top, box.height));
    if (nearest === undefined || distance < nearest.distance) nearest = { id, distance };
  }
  return nearest?.id;
}

function sideOf(copy: Copy, id: string, { body, point, boxOf }: DropQuestion): Side {
  const box = boxOf(id);
  if (box === undefined) return "after";
  return sideAtPoint(point, box, isInRow(copy, body, id, boxOf));
}

/** The half of a box that a point is in: left and right in a row, else above and below. */
export function sideAtPoint({ x, y }: Point, { left, top, width, height }: Box, inRow: boolean): "before" | "after" {
  return (inRow ? x < left + width / 2 : y < top + height / 2) ? "before" : "after";
}

/** Whether a node stands beside one of its neighbours rather than above or below it. */
export function isInRow(copy: Copy, body: string, id: string, boxOf: BoxOf): boolean {
  const box = boxOf(id);
  const neighbours = copy.node(body, id)?.beside ?? [];
  return box !== undefined && neighbours.some((other) => other !== null && areBeside(box, boxOf(other)));
}

function areBeside(one: Box, other: Box | undefined): boolean {
  if (other === undefined) return false;
  const shared = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  const apart = one.left + one.width <= other.left + 1 || other.left + other.width <= one.left + 1;
  return apart && shared > Math.min(one.height, other.height) / 2;
}

const LINE_PX = 4;

/** The line or box that shows where a target is. */
export function markOf({ side }: Target, { left, top, width, height }: Box, inRow: boolean): Box {
  if (side === "inside") return { left, top, width, height };
  if (inRow) {
    const edge = side === "before" ? left : left + width;
    return { left: edge - LINE_PX / 2, top, width: LINE_PX, height };
  }
  const edge = side === "before" ? top : top + height;
  return { left, top: edge - LINE_PX / 2, width, height: LINE_PX };
}
