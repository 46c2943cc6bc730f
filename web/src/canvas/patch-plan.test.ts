import { expect, test } from "vitest";
import type { Entity, Layer, NodeView } from "../site/model";
import { planPatch } from "./patch-plan";

const layer = (id: string, kind: Layer["kind"] = "element"): Layer => ({
  id,
  kind,
  name: id,
  hidden: false,
  lock: "open",
  hasLayers: false,
});

/** A page of which the ways to its nodes are known: `main/p/text`. */
function pageOf(...ways: string[]) {
  const views = new Map<string, NodeView>();
  for (const way of ways) {
    const path = ["root", ...way.split("/")].map((id) => layer(id, kindOf(id)));
    const own = path.pop();
    if (own === undefined) continue;
    views.set(own.id, {
      ...own,
      path,
      attrs: [],
      classes: null,
      style: null,
      ownStyles: [],
      label: null,
      beside: [null, null],
    });
  }
  return { node: (body: string, id: string) => (body === "page" ? views.get(id) : undefined) };
}

const kindOf = (id: string): Layer["kind"] =>
  id.startsWith("text") ? "text" : id.startsWith("loop") ? "loop" : "element";
const node = (id: string, body = "page"): Entity => ({ type: "node", body, node: id });
const copy = pageOf("main", "main/p", "main/p/text", "main/loop", "main/loop/li");
const planned = (...touched: Entity[]) =>
  planPatch(copy, "page", ["template", "page"], touched)?.map((part) => part.node);

test("a text is written anew alone, and with what is around it by that", () => {
  expect(planPatch(copy, "page", ["page"], [node("text")])).toEqual([{ node: "text", kind: "text", parent: "p" }]);
  expect(planned(node("text"), node("p"))).toEqual(["p"]);
});

test("what was removed is told by its parent", () => {
  expect(planned(node("gone"), node("main"))).toEqual(["main"]);
});

test("what shows by more than its own document needs the whole page", () => {
  expect(planned(node("li"))).toBeUndefined();
  expect(planned(node("footer", "template"))).toBeUndefined();
  expect(planned({ type: "site" })).toBeUndefined();
  expect(planned(...Array.from({ length: 200 }, () => node("p")))).toBeUndefined();
});

test("what happens on another page changes nothing here", () => {
  expect(planned(node("other", "elsewhere"))).toEqual([]);
});
