import { expect, test } from "vitest";
import type { NodeView, Op } from "../../../site/model";
import type { StyleScope } from "../../../site/style-scope";
import type { Sync } from "../../../site/sync";
import { own, type Selected, setOwn } from "./element";

const MOBILE = { id: "mobile", label: "Mobile", width: 390, query: "(max-width: 640px)" };
const declared = (property: string, value: string) => [{ property, value }];

/** An element with a style attribute and rules of its own, and what is done to it. */
function element(scope: StyleScope) {
  const node = {
    style: "color: red; top: 1px",
    ownStyles: [
      { declarations: declared("left", "2px") },
      { breakpoint: "mobile", declarations: declared("color", "blue") },
      { breakpoint: "mobile", state: "hover", declarations: declared("color", "green") },
    ],
  } as unknown as NodeView;
  const done: unknown[] = [];
  const sync = {
    copy: () => ({ node: () => node }),
    act: (_: string, [op]: Op[]) => done.push(op && "value" in op ? op.value : op),
    run: async (_: string, input: unknown) => done.push(JSON.parse(JSON.stringify(input))),
  } as unknown as Sync;
  return { selected: { sync, node, scope, place: { body: "page", node: "n" } } as Selected, done };
}

test("a value is that of the scope and of no other", () => {
  const color = (scope: StyleScope) => own(element(scope).selected, "color");
  expect(color({})).toBe("red");
  expect(color({ breakpoint: MOBILE })).toBe("blue");
  expect(color({ breakpoint: MOBILE, state: "hover" })).toBe("green");
  expect(color({ state: "hover" })).toBeUndefined();
});

test("at every width the style attribute is written, and a rule where one says it already", async () => {
  const { selected, done } = element({});
  await setOwn(selected, { color: "black", left: "3px" }, "Colour");
  await setOwn(selected, { color: undefined }, "Colour");
  expect(done).toEqual(["color: black; top: 1px", { nodeId: "n", patch: { "style.left": "3px" } }, "top: 1px"]);
});

test("a breakpoint and a state are written as rules, and taken away with null", async () => {
  const { selected, done } = element({ breakpoint: MOBILE, state: "hover" });
  await setOwn(selected, { color: undefined, top: "0" }, "Colour");
  const patch = { "style.color": null, "style.top": "0" };
  expect(done).toEqual([{ nodeId: "n", breakpointId: "mobile", state: "hover", patch }]);
});
