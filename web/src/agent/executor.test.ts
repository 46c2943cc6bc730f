import { expect, test, vi } from "vitest";
import { ToolRefusal } from "../site/needs";
import type { Sync, SyncState } from "../site/sync";
import type { ToolRequest } from "./events";
import { createExecutor } from "./executor";

const PAGES = [
  { id: "home", title: "Home", slug: "index", permalink: "/", isTemplate: false },
  { id: "frame", title: "Frame", slug: "frame", permalink: "", isTemplate: true },
];

function setUp(plan: Sync["plan"]) {
  let seq = 4;
  let waiting = 0;
  const listeners = new Set<() => void>();
  const copy = {
    seq: () => seq,
    pages: () => PAGES,
    node: (body: string, node: string) => (body === "home" && node === "here" ? {} : undefined),
  };
  const sync = {
    copy: () => copy,
    get: () => ({ waiting }) as SyncState,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onTouched: () => () => undefined,
    plan,
  } as unknown as Sync;
  const show = vi.fn();
  const executor = createExecutor({
    sync,
    selection: () => ({ page: "home", node: { body: "home", node: "here" }, breakpoint: "desktop" }),
    latest: async () => 5,
    ownerOf: async (node) => (node === "there" ? "frame" : undefined),
    show,
  });
  const tell = (part: { seq?: number; waiting?: number }) => {
    seq = part.seq ?? seq;
    waiting = part.waiting ?? waiting;
    for (const listener of [...listeners]) listener();
  };
  /** Whether somebody waits for the site to change. */
  const isWatched = () => listeners.size > 0;
  return { executor, show, tell, isWatched };
}

/** Lets everything run that needs nothing from outside. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const request = (toolName: string, input: object): ToolRequest => ({
  type: "toolRequest",
  requestId: "r",
  toolName,
  input,
  changeId: "change-1",
});
const done = {
  data: { nodeIds: ["n"] },
  ops: [{ op: "x" }],
  receipt: { created: [] },
  open: null,
  images: [],
  expects: [],
};

test("a tool is planned once the copy is up to date, and its change has the server's id", async () => {
  const plan = vi.fn(async () => done);
  const { executor, show, tell, isWatched } = setUp(plan as never);
  const answering = executor.run(request("deleteNode", { nodeId: "here" }));
  await settled();
  expect([isWatched(), plan.mock.calls.length]).toEqual([true, 0]);
  tell({ seq: 5 });
  const answer = await answering;
  expect([isWatched(), plan.mock.calls.length]).toEqual([false, 1]);
  expect(answer).toMatchObject({
    result: { ok: true, data: { nodeIds: ["n"] } },
    changes: [{ id: "change-1", ops: [{ op: "x" }], format: 1 }],
    snapshot: { currentDocument: { type: "page", id: "home" }, selectedNodeId: "here", activeBreakpointId: "desktop" },
  });
  // The server has the document, so no page travels with a message.
  expect(Object.keys(answer.snapshot ?? {})).toEqual(["currentDocument", "selectedNodeId", "activeBreakpointId"]);
  expect(show).not.toHaveBeenCalled();
});

test("a tool about a node of another document brings that document onto the canvas first", async () => {
  const order: string[] = [];
  const { executor, show, tell } = setUp((async (_: string, { view }: { view: unknown }) => {
    order.push(`planned at ${JSON.stringify(view)}`);
    return { ...done, ops: [] };
  }) as never);
  tell({ seq: 5 });
  show.mockImplementation((id: string) => order.push(`shown ${id}`));
  const answer = await executor.run(request("insertHtml", { parentId: "there", html: "<p>" }));
  expect(order).toEqual(["shown frame", 'planned at {"current":"frame","selected":"here","breakpoint":"desktop"}']);
  expect(answer.changes).toEqual([]);
  expect(answer.snapshot).toMatchObject({ currentDocument: { type: "template", id: "frame" }, selectedNodeId: null });
});

test("a document that a tool opens is shown, and a refusal is an answer in its words", async () => {
  const { executor, show, tell } = setUp((async (tool: string) => {
    if (tool === "deletePage")
      throw new ToolRefusal({ code: "conflict", message: "It is the last page.", retryable: false });
    return { ...done, open: { type: "page", id: "new" } };
  }) as never);
  tell({ seq: 5 });
  const opened = await executor.run(request("addPage", { title: "News" }));
  expect(show).toHaveBeenCalledWith("new");
  expect(opened.snapshot?.currentDocument).toEqual({ type: "page", id: "new" });
  const refused = await executor.run(request("deletePage", {}));
  expect(refused.result).toEqual({ ok: false, error: "It is the last page." });
});

test("settling waits for edits on their way", async () => {
  const { executor, tell } = setUp((async () => done) as never);
  tell({ waiting: 2 });
  const saved = vi.fn();
  const saving = executor.settle().then(saved);
  tell({ waiting: 1 });
  await settled();
  expect(saved).not.toHaveBeenCalled();
  tell({ waiting: 0 });
  await saving;
  expect(saved).toHaveBeenCalled();
});

test("tools about a node lead the canvas to it, and looks, lists and tokens leave it alone", async () => {
  const { executor, show, tell } = setUp((async () => ({ ...done, ops: [] })) as never);
  tell({ seq: 5 });
  const leads = async (tool: string, field: string) => {
    show.mockClear();
    await executor.run(request(tool, { [field]: "there" }));
    return show.mock.calls.length > 0;
  };
  const about = ["getNodeHtml", "replaceNodeHtml", "deleteNode", "updateNodeProps", "moveNode", "renameNode"];
  for (const tool of [...about, "duplicateNode", "assignClass", "removeClass"]) {
    expect([tool, await leads(tool, "nodeId")]).toEqual([tool, true]);
  }
  expect(await leads("insertHtml", "parentId")).toBe(true);
  for (const tool of ["render_snapshot", "list_tokens", "set_color_tokens", "read_document"]) {
    expect([tool, await leads(tool, "nodeId")]).toEqual([tool, false]);
  }
});
