// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import type { Entity, Layer, NodeView } from "../site/model";
import type { Sync } from "../site/sync";
import { createBoard } from "./board";
import type { Canvas } from "./canvas";

const layer = (id: string, kind: Layer["kind"]): Layer => ({
  id,
  kind,
  name: id,
  hidden: false,
  lock: "open",
  hasLayers: false,
});
const TEXT: NodeView = {
  ...layer("text", "text"),
  path: [layer("root", "element"), layer("p", "element")],
  attrs: [],
  classes: null,
  style: null,
  ownStyles: [],
  label: null,
  beside: [null, null],
};

/** A site of one page with one text, and what is asked of it. */
function site() {
  const listeners = new Set<(touched: readonly Entity[] | undefined) => void>();
  const copy = {
    pages: () => [],
    node: (body: string, id: string) => (body === "page" && id === "text" ? TEXT : undefined),
    renderNode: () => ({ done: { html: "<!--sw-text page text-->New", documents: ["page"], problems: [] } }),
  };
  const render = vi.fn(async () => ({ html: "<p>page</p>", documents: ["page"], problems: [] }));
  const sync = {
    copy: () => copy,
    render,
    onTouched(listener: (touched: readonly Entity[] | undefined) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Sync;
  const touch = (touched?: readonly Entity[]) => {
    for (const listener of listeners) listener(touched);
  };
  return { sync, render, touch };
}

function frame(patches: boolean) {
  return {
    show: vi.fn(),
    setScheme: vi.fn(),
    patchElement: vi.fn(() => patches),
    patchText: vi.fn(() => patches),
    mirror: vi.fn(),
    dispose: vi.fn(),
  };
}

async function shown(...frames: ReturnType<typeof frame>[]) {
  const { sync, render, touch } = site();
  const board = createBoard(sync);
  for (const [at, one] of frames.entries()) board.attach(String(at), one as unknown as Canvas);
  board.show("page");
  await board.settled();
  return { board, render, touch };
}

const text: Entity = { type: "node", body: "page", node: "text" };

test("a page is rendered once and shown in every frame", async () => {
  const frames = [frame(true), frame(true)];
  const { render } = await shown(...frames);
  expect(render).toHaveBeenCalledTimes(1);
  for (const one of frames) expect(one.show).toHaveBeenCalledWith("page", "<p>page</p>", undefined);
});

test("a touched text is written anew in every frame, and the page is not rendered", async () => {
  const frames = [frame(true), frame(true)];
  const { board, render, touch } = await shown(...frames);
  touch([text]);
  await board.settled();
  expect(render).toHaveBeenCalledTimes(1);
  for (const one of frames) {
    expect(one.patchText).toHaveBeenCalledWith("p", { body: "page", node: "text" }, "<!--sw-text page text-->New");
  }
});

test("the page is rendered where a part will not do", async () => {
  const { board, render, touch } = await shown(frame(false));
  touch([text]);
  await board.settled();
  touch([{ type: "site" }]);
  await board.settled();
  touch();
  await board.settled();
  expect(render).toHaveBeenCalledTimes(4);
});

test("what happens at once is shown at once", async () => {
  const { board, render, touch } = await shown(frame(true));
  for (let times = 0; times < 5; times++) touch([{ type: "site" }]);
  await board.settled();
  expect(render).toHaveBeenCalledTimes(2);
});
