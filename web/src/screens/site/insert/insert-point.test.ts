import { expect, test } from "vitest";
import type { Layer, NodeView } from "../../../site/model";
import { type Box, draggedNode, insertTarget, markOf, moveTarget } from "./canvas-drop";
import { defaultTarget, positionOf, sectionsOf } from "./insert-point";
import { spotNear } from "./marks";

/** A document as nested lists: `["main", ["section.hero", "h1"], …]`; a tag may carry a class, and `#` names a white space. */
type Written = string | [string, ...Written[]];

interface Tree {
  node(body: string, id: string): NodeView | undefined;
  layers(body: string, id?: string): Layer[];
}

/** Ids are the order of the document, from 0 for the root. */
function tree(...written: Written[]): Tree {
  const views = new Map<string, NodeView>();
  const children = new Map<string, string[]>();
  let next = 0;
  const grow = (one: Written, path: Layer[], after: string | undefined): string => {
    const [name, ...inner] = typeof one === "string" ? [one] : one;
    const [tag = "", classes] = name.split(".");
    const id = String(next++);
    const isText = tag === "#";
    const shown = inner.filter((child) => child !== "#");
    const layer: Layer = {
      id,
      kind: isText ? "text" : "element",
      tag: isText ? null : tag,
      name: tag,
      hidden: false,
      lock: "open",
      hasLayers: shown.length > 0,
    };
    const parent = path.at(-1)?.id;
    views.set(id, {
      ...layer,
      path,
      attrs: [],
      classes: classes ?? null,
      style: null,
      ownStyles: [],
      label: null,
      beside: [null, null],
      ...(parent === undefined ? {} : { place: { parent, ...(after === undefined ? {} : { after }) } }),
      ...(/^(p|h\d|li)$/.test(tag) && inner.length === 0 ? { text: { node: `${id}t`, value: "Text" } } : {}),
    });
    const ids: string[] = [];
    for (const child of inner) ids.push(grow(child, [...path, layer], ids.at(-1)));
    const visible = ids.filter((child) => views.get(child)?.kind !== "text");
    children.set(id, visible);
    visible.forEach((child, at) => {
      const view = views.get(child);
      if (view) view.beside = [visible[at - 1] ?? null, visible[at + 1] ?? null];
    });
    return id;
  };
  grow(["body", ...written], [], undefined);
  return {
    node: (_, id) => views.get(id),
    layers: (_, id = "0") => (children.get(id) ?? []).flatMap((child) => views.get(child) ?? []),
  };
}

const PAGE = tree(
  "header",
  ["main", ["section.hero", "h1", "p"], "#", ["section.cards", "article.card", "article.card", ["ul", "li", "li"]]],
  "footer",
);
const named = (copy: Tree, id: string) => {
  const view = copy.node("page", id);
  return `${view?.tag}${view?.classes ? `.${view.classes}` : ""}`;
};
const target = (copy: Tree, selected: string | undefined, kind: "section" | "block", tag?: string) => {
  const { id, side } = defaultTarget(copy, "page", "0", selected, kind, tag);
  return `${side} ${named(copy, id)}`;
};
const find = (copy: Tree, wanted: string, nth = 0) => {
  const ids = Array.from({ length: 40 }, (_, id) => String(id)).filter((id) => named(copy, id) === wanted);
  return ids[nth] ?? "";
};

test("sections are what lies in the page, with that of main in its place", () => {
  expect(sectionsOf(PAGE, "page").map(({ id }) => named(PAGE, id))).toEqual([
    "header",
    "section.hero",
    "section.cards",
    "footer",
  ]);
});

test("without a place, a section goes behind the one that is selected, and to the end of the page else", () => {
  expect(target(PAGE, find(PAGE, "h1"), "section")).toBe("after section.hero");
  expect(target(PAGE, undefined, "section")).toBe("after section.cards");
  expect(target(tree("header", "main"), undefined, "section")).toBe("inside main");
  expect(target(tree("section", "footer"), undefined, "section")).toBe("before footer");
  expect(target(tree(), undefined, "section")).toBe("inside body");
});

test("an element goes into a container, and behind everything else that it can stand beside", () => {
  expect(target(PAGE, find(PAGE, "section.hero"), "block")).toBe("inside section.hero");
  expect(target(PAGE, find(PAGE, "h1"), "block")).toBe("after h1");
  expect(target(PAGE, find(PAGE, "li"), "block")).toBe("after ul");
  expect(target(PAGE, find(PAGE, "li"), "block", "li")).toBe("after li");
  const drawing = tree(["section", ["svg", ["g", "path"]]]);
  expect(target(drawing, find(drawing, "path"), "block")).toBe("after svg");
});

test("a card that is pasted on a card stands behind it", () => {
  expect(target(PAGE, find(PAGE, "article.card"), "block", "article")).toBe("after article.card");
});

test("positions count what does not show", () => {
  const cards = find(PAGE, "section.cards");
  expect(positionOf(PAGE, "page", { id: cards, side: "before" })).toEqual({ parentId: find(PAGE, "main"), index: 2 });
  expect(positionOf(PAGE, "page", { id: cards, side: "after" })).toEqual({ parentId: find(PAGE, "main"), index: 3 });
  expect(positionOf(PAGE, "page", { id: cards, side: "inside" })).toEqual({ parentId: cards });
});

test("a drag takes what is selected, else the nearest thing that repeats", () => {
  const dragged = (pressed: string, selected?: string) => {
    const copy = tree(["section", ["article.card", "h2", "p"], ["article.card", "h2"]], ["section", "p"]);
    const at = (name: string | undefined) => (name === undefined ? undefined : find(copy, name));
    const found = draggedNode(copy, "page", at(pressed) ?? "", at(selected));
    return found === undefined ? undefined : named(copy, found);
  };
  expect(dragged("h2")).toBe("article.card");
  expect(dragged("h2", "section")).toBe("section");
  expect(dragged("h2", "h2")).toBe("h2");
  expect(dragged("body")).toBeUndefined();
});

/** Boxes beside each other for cards, and below each other for everything else. */
const boxes =
  (copy: Tree) =>
  (id: string): Box | undefined => {
    const at = Number(id);
    return named(copy, id) === "article.card"
      ? { left: at * 100, top: 0, width: 90, height: 50 }
      : { left: 0, top: at * 100, width: 800, height: 90 };
  };

test("a card in a row lands left or right of another, and a section above or below", () => {
  const [one, two] = [find(PAGE, "article.card"), find(PAGE, "article.card", 1)];
  const over = (node: string, hit: string, x: number, y: number) =>
    moveTarget(PAGE, node, { body: "page", hit, point: { x, y }, boxOf: boxes(PAGE) });
  expect(over(two, one, Number(one) * 100 + 5, 40)).toEqual({ id: one, side: "before" });
  expect(over(one, two, Number(two) * 100 + 80, 40)).toEqual({ id: two, side: "after" });
  // It stands there already.
  expect(over(two, one, Number(one) * 100 + 80, 40)).toBeUndefined();
  expect(over(one, one, 0, 0)).toBeUndefined();
  const [hero, cards] = [find(PAGE, "section.hero"), find(PAGE, "section.cards")];
  expect(over(cards, find(PAGE, "h1"), 10, Number(hero) * 100 + 5)).toEqual({ id: hero, side: "before" });
});

test("something new lands beside what is under the pointer, or in what is empty", () => {
  const copy = tree(["section", "h1", "div"]);
  const over = (hit: string, y: number, kind: "section" | "block" = "block") =>
    insertTarget(copy, kind, { body: "page", hit: find(copy, hit), point: { x: 5, y }, boxOf: boxes(copy) });
  expect(over("h1", Number(find(copy, "h1")) * 100 + 80)).toEqual({ id: find(copy, "h1"), side: "after" });
  expect(over("div", 0)).toEqual({ id: find(copy, "div"), side: "inside" });
  expect(over("div", 0, "section")).toEqual({ id: find(copy, "section"), side: "before" });
  // Between two elements, the nearer one counts.
  expect(over("section", Number(find(copy, "h1")) * 100 + 92)).toEqual({ id: find(copy, "h1"), side: "after" });
});

test("the mark of a place is a line at its edge, or a box around it", () => {
  const box = { left: 10, top: 20, width: 100, height: 50 };
  expect(markOf({ id: "a", side: "after" }, box, false)).toEqual({ left: 10, top: 68, width: 100, height: 4 });
  expect(markOf({ id: "a", side: "before" }, box, true)).toEqual({ left: 8, top: 20, width: 4, height: 50 });
  expect(markOf({ id: "a", side: "inside" }, box, true)).toEqual(box);
});

test("a plus shows at the edge that the pointer is near to, unless it would cover something small", () => {
  const spot = (key: string, y: number, hasRoom = true) => ({
    ...{ key, y, hasRoom, x: 0, name: "", isShown: false },
    target: { id: key, side: "after" as const },
  });
  const spots = [spot("a", 100), spot("b", 130), spot("c", 200, false)];
  expect(spotNear(spots, 118, 0.5)).toBe("b");
  expect(spotNear(spots, 60, 0.5)).toBe("a");
  expect(spotNear(spots, 200, 0.5)).toBeUndefined();
  expect(spotNear(spots, undefined, 1)).toBeUndefined();
});
