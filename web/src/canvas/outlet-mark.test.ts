// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { Layer } from "../site/model";
import { createNodeIndex } from "./node-index";
import { findOutlet, MARK_TAG, placeOutletMark } from "./outlet-mark";

const layer = (id: string, kind: Layer["kind"], hasLayers = false): Layer => ({
  id,
  kind,
  name: id,
  hidden: false,
  lock: "open",
  hasLayers,
});

/** A document of layers by what they are in. */
const copyOf = (layers: Readonly<Record<string, Layer[]>>) => ({
  layers: (_: string, node = "") => layers[node] ?? [],
});

test("an outlet is found wherever it is", () => {
  const deep = copyOf({
    "": [layer("header", "element"), layer("main", "element", true)],
    main: [layer("o", "outlet")],
  });
  expect(findOutlet(deep, "frame")).toEqual({ parent: "main", before: undefined });
  const between = copyOf({ "": [layer("header", "element"), layer("o", "outlet"), layer("footer", "element")] });
  expect(findOutlet(between, "frame")).toEqual({ parent: undefined, before: "footer" });
  expect(findOutlet(copyOf({ "": [layer("p", "element")] }), "frame")).toBeUndefined();
});

test("the mark is where the content goes, once, and goes away", () => {
  const html = '<body data-sw-node="root"><header data-sw-node="h"></header><footer data-sw-node="f"></footer></body>';
  const frame = new DOMParser().parseFromString(html, "text/html");
  const index = createNodeIndex();
  index.add(frame.documentElement);
  for (let times = 0; times < 2; times++) placeOutletMark(frame, index, { before: "f" });
  expect([...frame.body.children].map(({ nodeName }) => nodeName)).toEqual(["HEADER", MARK_TAG, "FOOTER"]);
  placeOutletMark(frame, index, undefined);
  expect(frame.querySelector(MARK_TAG)).toBeNull();
});
