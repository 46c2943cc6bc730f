// Where the canvas offers to insert something: between sections, in what is empty, and the place that is chosen.
import type { Board } from "../../../canvas/board";
import type { Canvas } from "../../../canvas/canvas";
import type { Layer } from "../../../site/model";
import { type NodePlace, selection } from "../../../site/selection";
import type { SiteCopy } from "../../../site/site-copy";
import type { Sync } from "../../../site/sync";
import { layerName } from "../layer-words";
import type { Target } from "../layers/drop";
import { type Box, isInRow, markOf } from "./canvas-drop";
import { isContainer, rootOf, sectionsOf } from "./insert-point";
import type { InsertState } from "./insert-state";
import { currentTarget } from "./insertion";

export interface InsertSpot {
  key: string;
  target: Target;
  /** The middle of the mark, in pixels of the frame. */
  x: number;
  y: number;
  /** What it is next to, or in. */
  name: string;
  /** Whether it shows wherever the pointer is: at a section that is selected, and in what is empty. */
  isShown: boolean;
  /** Whether it shows when the pointer comes near: beside small things it would be in the way of them. */
  hasRoom: boolean;
}

/** How near the pointer must be to the edge of a section, and how tall sections must be for that, on the screen. */
const NEAR_PX = 24;
const TALL_PX = 56;

/** The spot that the pointer is near to. `y` is in pixels of the frame. */
export function spotNear(spots: readonly InsertSpot[], y: number | undefined, zoom: number): string | undefined {
  if (y === undefined) return undefined;
  const near = spots.filter((spot) => spot.hasRoom && Math.abs(spot.y - y) * zoom <= NEAR_PX);
  return near.sort((one, other) => Math.abs(one.y - y) - Math.abs(other.y - y))[0]?.key;
}

export interface InsertMarksData {
  spots: readonly InsertSpot[];
  /** Where the page would be, while it has nothing. */
  empty?: { target: Target; box: Box };
  /** The place where something would go. */
  mark?: { box: Box; side: Target["side"] };
}

interface Measured {
  canvas: Canvas;
  board: Board;
  sync: Sync;
  page: string;
  zoom: number;
}

const FILLED_MIN_PX = 24;
const EMPTY_MAX = 20;

export function measureMarks(measured: Measured, state: InsertState): InsertMarksData {
  const { sync, page } = measured;
  const copy = sync.copy();
  if (!copy.isOpen(page)) return { spots: [] };
  const { hovered, node } = selection.get();
  const isEmpty = copy.layers(page).length === 0;
  return {
    spots: [...edgeSpots(measured, node), ...emptySpots(measured, [hovered, node])],
    empty: isEmpty ? emptyPage(measured) : undefined,
    mark: isEmpty && state.drop === undefined ? undefined : markFor(measured, state),
  };
}

/** Above the first section, and below each. */
function edgeSpots({ canvas, sync, page, zoom }: Measured, selected: NodePlace | undefined): InsertSpot[] {
  const sections = sectionsOf(sync.copy(), page).flatMap((layer) => {
    const [box] = canvas.boxesOf(layer.id);
    if (box === undefined || box.height === 0) return [];
    return [{ layer, box, isTall: box.height * zoom >= TALL_PX, isSelected: selected?.node === layer.id }];
  });
  return sections.flatMap(({ layer, box, isTall, isSelected }, at): InsertSpot[] => {
    const next = sections[at + 1];
    const named = { name: nameOf(layer), x: box.left + box.width / 2 };
    const below: InsertSpot = {
      ...named,
      key: `after ${layer.id}`,
      target: { id: layer.id, side: "after" },
      y: box.top + box.height,
      hasRoom: isTall && next?.isTall !== false,
      isShown: (isSelected && isTall) || (next?.isSelected === true && next.isTall),
    };
    if (at > 0) return [below];
    const above = { key: `before ${layer.id}`, target: { id: layer.id, side: "before" } as const, y: box.top };
    return [{ ...named, ...above, hasRoom: isTall, isShown: isSelected && isTall }, below];
  });
}

function markFor(measured: Measured, { drop, isOpen, part }: InsertState): InsertMarksData["mark"] {
  const { canvas, sync, page } = measured;
  const target =
    drop ?? (isOpen ? currentTarget({ sync, page }, part === "sections" ? "section" : "block") : undefined);
  if (target === undefined) return undefined;
  const copy = sync.copy();
  const [own] = canvas.boxesOf(target.id);
  const box = own ?? placeOfPage(measured);
  const inRow = own !== undefined && isInRow(copy, page, target.id, (id) => canvas.boxesOf(id)[0]);
  return { box: markOf(target, box, inRow), side: target.side };
}

/** Containers with nothing in them: those that take room, and what is selected or pointed at however small. */
function emptySpots({ canvas, sync, page }: Measured, places: readonly (NodePlace | undefined)[]): InsertSpot[] {
  const copy = sync.copy();
  const chosen = places.flatMap((place) => (place?.body === page ? [place.node] : []));
  const shown = [...canvas.document.querySelectorAll("[data-sw-node]:empty")]
    .filter((element) => element.getBoundingClientRect().height >= FILLED_MIN_PX)
    .flatMap((element) => element.getAttribute("data-sw-node") ?? []);
  return [...new Set([...chosen, ...shown.slice(0, EMPTY_MAX)])].flatMap((id) => {
    const view = copy.node(page, id);
    const [box] = canvas.boxesOf(id);
    if (!view?.place || box === undefined || view.hasLayers || !isContainer(view, view.text)) return [];
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    const target = { id, side: "inside" } as const;
    return [{ key: `inside ${id}`, target, ...middle, name: nameOf(view), isShown: true, hasRoom: true }];
  });
}

/** Sections are often called the same, so what tells them apart is said too, such as "Hero: Fresh bread daily". */
export function nameOf(layer: Pick<Layer, "name" | "detail">): string {
  return layer.detail ? `${layerName(layer)}: ${layer.detail}` : layerName(layer);
}

function emptyPage(measured: Measured): InsertMarksData["empty"] {
  const root = rootOf(measured.sync.copy(), measured.page);
  return root === undefined ? undefined : { target: { id: root, side: "inside" }, box: placeOfPage(measured) };
}

/** Where a page without elements is: its body, or in a template the place where the page goes. */
function placeOfPage({ canvas, board, sync, page }: Measured): Box {
  const copy = sync.copy();
  const root = rootOf(copy, page);
  const [own] = root === undefined ? [] : canvas.boxesOf(root);
  if (own !== undefined) return own;
  const width = canvas.document.documentElement.clientWidth;
  for (const body of board.get().documents) {
    const outlet = body === page ? undefined : findOutlet(copy, body);
    if (outlet === undefined) continue;
    const [before, after] = copy.node(body, outlet.id)?.beside ?? [];
    const [above] = before ? canvas.boxesOf(before) : [];
    const [below] = after ? canvas.boxesOf(after) : [];
    const top = above?.bottom ?? below?.top ?? 0;
    return { left: 0, top, width, height: Math.max(0, (below?.top ?? top) - top) };
  }
  return { left: 0, top: 0, width, height: 0 };
}

function findOutlet(copy: SiteCopy, body: string, node?: string): Layer | undefined {
  if (!copy.isOpen(body)) return undefined;
  for (const layer of copy.layers(body, node)) {
    if (layer.kind === "outlet") return layer;
    const inner = layer.hasLayers ? findOutlet(copy, body, layer.id) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
