import { expect, test } from "vitest";
import { createLayerTree } from "./layer-tree";
import type { Entity, Layer, NodeView } from "./model";

interface Plant {
  id: string;
  detail?: string;
  in?: Plant[];
}

/** A document as the core tells it, with a count of what it was asked. */
function documentOf(plants: Plant[]) {
  const root: Plant = { id: "root", in: plants };
  const asked: string[] = [];
  const find = (id: string, at = root, path: Plant[] = []): { plant: Plant; path: Plant[] } | undefined => {
    if (at.id === id) return { plant: at, path };
    for (const child of at.in ?? []) {
      const found = find(id, child, [...path, at]);
      if (found) return found;
    }
    return undefined;
  };
  const layer = ({ id, detail, in: inside = [] }: Plant): Layer => ({
    id,
    kind: "element",
    name: id,
    detail,
    hidden: false,
    lock: "open",
    hasLayers: inside.length > 0,
  });
  return {
    root,
    asked,
    isOpen: () => true,
    find: (id: string) => find(id)?.plant ?? root,
    layers: (_: string, node = "root") => {
      asked.push(node);
      return (find(node)?.plant.in ?? []).map(layer);
    },
    node: (_: string, id: string): NodeView | undefined => {
      const found = find(id);
      if (found === undefined) return undefined;
      const rest = {
        attrs: [],
        classes: null,
        style: null,
        ownStyles: [],
        label: null,
        beside: [null, null] as [null, null],
      };
      return { ...layer(found.plant), ...rest, path: found.path.map(layer) };
    },
  };
}

const touched = (...ids: string[]): Entity[] => ids.map((node) => ({ type: "node", body: "page", node }));
const made = () => documentOf([{ id: "a", in: [{ id: "b", in: [{ id: "c" }] }] }, { id: "d" }]);

test("only open branches are asked for", () => {
  const document = made();
  const tree = createLayerTree(() => document, "page");
  expect(tree.rows().map(({ id }) => id)).toEqual(["a", "d"]);
  expect(document.asked).toEqual(["root"]);
  tree.toggle("a", true);
  expect(tree.rows().map(({ id, level }) => `${level}${id}`)).toEqual(["1a", "2b", "1d"]);
  expect(document.asked).toEqual(["root", "a"]);
});

test("a node is revealed with everything above it", () => {
  const document = made();
  const tree = createLayerTree(() => document, "page");
  expect(tree.reveal("c")).toBe("c");
  expect(tree.rows().map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  expect(tree.indexOf("c")).toBe(2);
});

test("a touched text asks for no branch again and is told by the rows above it", () => {
  const document = made();
  const tree = createLayerTree(() => document, "page");
  tree.reveal("c");
  tree.rows();
  document.asked.length = 0;
  document.find("b").detail = "Better bread";
  tree.touch(touched("c"));
  expect(tree.layer("b")?.detail).toBe("Better bread");
  expect(document.asked).toEqual([]);
});

test("what came and went shows, and only its branch is asked for again", () => {
  const document = made();
  const tree = createLayerTree(() => document, "page");
  tree.reveal("c");
  tree.rows();
  document.asked.length = 0;
  document.find("b").in = [{ id: "e" }];
  tree.touch(touched("c", "e", "b"));
  expect(tree.rows().map(({ id }) => id)).toEqual(["a", "b", "e", "d"]);
  expect(document.asked).toEqual(["b"]);
});

test("a document that is opened later has its rows then", () => {
  let open = false;
  const document = { ...made(), isOpen: () => open };
  const tree = createLayerTree(() => document, "page");
  expect(tree.rows()).toEqual([]);
  open = true;
  expect(tree.rows().map(({ id }) => id)).toEqual(["a", "d"]);
});
