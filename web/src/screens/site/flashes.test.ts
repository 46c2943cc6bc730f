import { expect, test } from "vitest";
import type { Node, Op } from "../../generated/site";
import { changedNodes } from "./flashes";

test("what an entry changed, moved or brought is pointed out once, and what it removed is not", () => {
  const entity = { type: "node" as const, body: "page", node: "a" };
  const node: Node = { kind: { text: "" } };
  const nodes = [
    { id: "c", node },
    { id: "d", parent: 0, node },
  ];
  const ops: Op[] = [
    { op: "put", entity, field: "text", value: "x" },
    { op: "put", entity, field: "label", value: "y" },
    { op: "place", body: "page", node: "b", place: { parent: "root" } },
    { op: "insert", new: { type: "nodes", body: "page", nodes, place: { parent: "b" } } },
    { op: "remove", entity: { type: "node", body: "page", node: "e" } },
    { op: "put", entity: { type: "site" }, field: "name", value: "z" },
  ];
  expect(changedNodes({ ops }).map(({ node }) => node)).toEqual(["a", "b", "c"]);
});
