import { expect, test } from "vitest";
import type { Layer, NodeView } from "../../../site/model";
import { canHold, dropOp, sideAt } from "./drop";

const layer = (id: string): Layer => ({
  id,
  kind: "element",
  tag: "div",
  name: id,
  hidden: false,
  lock: "open",
  hasLayers: false,
});
const view = (id: string, path: string[], after?: string): NodeView => ({
  ...layer(id),
  path: path.map(layer),
  attrs: [],
  classes: null,
  style: null,
  ownStyles: [],
  label: null,
  beside: [null, null],
  place: { parent: path.at(-1) ?? "", ...(after === undefined ? {} : { after }) },
});
const nodes = new Map(
  [view("a", ["root"]), view("b", ["root"], "space"), view("c", ["root"], "b"), view("in", ["root", "a"])].map(
    (one) => [one.id, one],
  ),
);
const copy = {
  node: (_: string, id: string) => nodes.get(id),
  layers: (_: string, id?: string) => (id === "a" ? [layer("in")] : []),
};
const place = (node: string, id: string, side: "before" | "inside" | "after") =>
  (dropOp(copy, "page", node, { id, side }) as { place?: unknown } | undefined)?.place;

test("a layer goes before, into or behind another one", () => {
  expect(place("c", "b", "before")).toEqual({ parent: "root", after: "space" });
  expect(place("b", "a", "inside")).toEqual({ parent: "a", after: "in" });
  expect(place("a", "c", "after")).toEqual({ parent: "root", after: "c" });
});

test("nothing goes into itself or to where it is", () => {
  expect(place("a", "in", "after")).toBeUndefined();
  expect(place("a", "a", "inside")).toBeUndefined();
  expect(place("c", "b", "after")).toBeUndefined();
});

test("the middle of a row is inside it where something can stand in it", () => {
  expect([sideAt(0.1, true), sideAt(0.5, true), sideAt(0.9, true)]).toEqual(["before", "inside", "after"]);
  expect([sideAt(0.4, false), sideAt(0.6, false)]).toEqual(["before", "after"]);
  expect([canHold(layer("x")), canHold({ ...layer("x"), tag: "img" })]).toEqual([true, false]);
});
