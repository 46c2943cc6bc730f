// Two browsers with the real core and one log between them. The log is the least that the server promises: an order, each change
// once, and a refusal when a text was touched since.
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { ApiError } from "../api/problem";
import init, * as core from "../core/core.js";
import { type Entity, entityKey, type Logged, opEntity, type TextPlace } from "./model";
import { story } from "./native-story";
import type { Outbox, Outgoing } from "./outbox";
import type { RevertTarget } from "./revert-id";
import type { SiteApi } from "./site-api";
import { createSync, type Sync } from "./sync";
import type { UndoMemory, UndoSteps } from "./undo-stack";

beforeAll(async () => {
  await init({ module_or_path: await readFile(new URL("../core/core_bg.wasm", import.meta.url)) });
});

const ANA = { kind: "person", id: "ana" } as const;
const OFFLINE = new ApiError({ status: 0, code: "unreachable", detail: "No answer.", errors: {} });
const refusal = (code: string, detail: string) => new ApiError({ status: 409, code, detail, errors: {} });

/** The page with its heading, and the place of the heading's text. */
function withHeading(): { log: Logged[]; place: TextPlace } {
  const { ops } = story.answer.done;
  const first: Logged = { id: "start", author: { kind: "local" }, summary: "", ops, format: 1, seq: 2, at: 0 };
  const [insert] = ops;
  const nodes = insert?.op === "insert" && insert.new.type === "nodes" ? insert.new.nodes : [];
  const text = nodes.find(({ node: { kind } }) => kind !== "outlet" && "text" in kind && kind.text === "Good bread");
  return { log: [first], place: { body: story.page, node: text?.id ?? "" } };
}

function createServer() {
  const { log, place } = withHeading();
  const revs = new Map<string, number>();
  const wakes = new Set<() => void>();
  const server = {
    log,
    place,
    online: true,
    refuse: undefined as ApiError | undefined,
    sent: [] as string[],
    /** What was taken back, and whether nothing is left to take back. */
    reverts: [] as RevertTarget[],
    nothingLeft: false,
    /** Entries that the stream leaves out once. */
    lost: new Set<number>(),
    /** How often the documents were fetched. */
    loads: 0,
    api,
  };
  const touched = (entity: Entity) => revs.get(entityKey(entity)) ?? 2;

  function commit(change: Omit<Logged, "seq" | "at">): Logged {
    const entry = { ...change, seq: (log.at(-1)?.seq ?? 1) + 1, at: 0 };
    log.push(entry);
    for (const op of change.ops) {
      const entity = opEntity(op);
      if (entity !== undefined) revs.set(entityKey(entity), entry.seq);
    }
    for (const wake of [...wakes]) wake();
    return entry;
  }

  function api(): SiteApi {
    const reach = () => {
      if (!server.online) throw OFFLINE;
    };
    return {
      async shell() {
        server.loads += 1;
        return { seq: 1, shell: story.shell };
      },
      body: async () => ({ seq: 1, body: story.body }),
      async owner() {
        throw refusal("not_found", "No document has it.");
      },
      rows: async () => [],
      address: async () => null,
      async installFont() {
        throw OFFLINE;
      },
      async send(change, expects) {
        reach();
        server.sent.push(change.id);
        if (server.refuse) throw server.refuse;
        const known = log.find(({ id }) => id === change.id);
        if (known === undefined && expects.some(({ entity, rev }) => touched(entity) !== rev)) {
          throw refusal("conflict", "Somebody was faster.");
        }
        const { seq, at, ops } = known ?? commit(change);
        return { seq, at, ops, leftOut: [], repeated: known !== undefined };
      },
      async revert(id, target) {
        if (server.nothingLeft) throw refusal("invalid_input", "Nothing is left.");
        server.reverts.push(target);
        const { seq, at, ops } = commit({ id, author: ANA, summary: "Undo", ops: [], format: 1 });
        return { seq, at, ops, leftOut: [], repeated: false, left: [] };
      },
      async *follow(after, { signal, onOpen }) {
        reach();
        onOpen();
        let at = after;
        while (!signal.aborted) {
          reach();
          const next = log.find(({ seq }) => seq > at);
          if (next === undefined) {
            await new Promise<void>((resolve) => {
              wakes.add(resolve);
              signal.addEventListener("abort", () => resolve());
            });
            continue;
          }
          at = next.seq;
          if (!server.lost.delete(at)) yield structuredClone(next);
        }
      },
    };
  }
  return Object.assign(server, {
    commit,
    setOnline(online: boolean) {
      server.online = online;
      for (const wake of [...wakes]) wake();
    },
  });
}

function memory(): Outbox & { rows: Map<string, Outgoing> } {
  const rows = new Map<string, Outgoing>();
  return {
    rows,
    load: async () => [...rows.values()],
    keep: async (outgoing) => void rows.set(outgoing.change.id, outgoing),
    forget: async (id) => void rows.delete(id),
  };
}

function undoMemory(): UndoMemory {
  let kept: UndoSteps | undefined;
  return {
    read: () => kept,
    write(steps) {
      kept = steps;
    },
  };
}

async function open(
  server: ReturnType<typeof createServer>,
  outbox: Outbox = memory(),
  undo = undoMemory(),
): Promise<Sync> {
  const sync = createSync({
    api: server.api(),
    loadCore: async () => ({ version: "test", SiteCore: core.SiteCore }),
    outbox,
    undoMemory: undo,
    author: ANA,
    lookAt: async () => ({ type: "impossible", reason: "Nobody looks" }),
    pause: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  await sync.start();
  await sync.render(story.page);
  await until(() => sync.copy().seq() >= 2);
  return sync;
}

async function until(met: () => boolean): Promise<void> {
  await expect.poll(met, { timeout: 2000, interval: 2 }).toBe(true);
}

const heading = (sync: Sync, place: TextPlace) => sync.copy().field({ type: "node", ...place }, "text");
const write = (sync: Sync, place: TextPlace, text: string) => sync.putText(place, text, sync.textBase(place));

test("what one writes the other sees, and both come to the same", async () => {
  const server = createServer();
  const [ana, ben] = [await open(server), await open(server)];
  write(ana, server.place, "Better bread");
  expect(heading(ana, server.place)).toBe("Better bread");
  await until(() => heading(ben, server.place) === "Better bread");
  await until(() => ana.get().waiting === 0);
  write(ben, server.place, "Best bread");
  await until(() => heading(ana, server.place) === "Best bread" && ben.get().waiting === 0);
  expect(await ana.render(story.page)).toEqual(await ben.render(story.page));
  for (const sync of [ana, ben]) sync.stop();
});

test("steps on one text wait for each other and are all taken", async () => {
  const server = createServer();
  const ana = await open(server);
  let base = ana.textBase(server.place);
  for (const text of ["a", "ab", "abc"]) base = ana.putText(server.place, text, base);
  await until(() => ana.get().waiting === 0);
  expect(server.log.slice(1).map(({ ops: [op] }) => op && "value" in op && op.value)).toEqual(["a", "ab", "abc"]);
  expect(ana.get().problems).toEqual([]);
  ana.stop();
});

test("without the network changes wait, and a reload neither loses nor repeats them", async () => {
  const server = createServer();
  const outbox = memory();
  const before = await open(server, outbox);
  server.setOnline(false);
  write(before, server.place, "Kept");
  write(before, server.place, "Kept bread");
  await until(() => before.get().link === "lost");
  expect(before.get().waiting).toBe(2);
  before.stop();
  server.setOnline(true);
  const after = await open(server, outbox);
  await until(() => after.get().waiting === 0);
  expect(heading(after, server.place)).toBe("Kept bread");
  expect([server.log.length, outbox.rows.size]).toEqual([3, 0]);
  after.stop();
});

test("a change whose answer was lost is taken once", async () => {
  const server = createServer();
  const outbox = memory();
  const lost = await open(server, outbox);
  write(lost, server.place, "Once");
  const [kept] = [...outbox.rows.values()];
  await until(() => lost.get().waiting === 0);
  lost.stop();
  if (kept !== undefined) await outbox.keep(kept);
  const again = await open(server, outbox);
  await until(() => again.get().waiting === 0 && outbox.rows.size === 0);
  expect(server.log.length).toBe(2);
  again.stop();
});

test("who writes into a text that somebody changed meanwhile is told, and keeps their words", async () => {
  const server = createServer();
  const ana = await open(server);
  const base = ana.textBase(server.place);
  const entity: Entity = { type: "node", ...server.place };
  server.commit({
    id: "theirs",
    author: { kind: "local" },
    summary: "",
    ops: [{ op: "put", entity, field: "text", value: "Theirs" }],
    format: 1,
  });
  await until(() => heading(ana, server.place) === "Theirs");
  const next = ana.putText(server.place, "Mine", base);
  ana.putText(server.place, "Mine entirely", next);
  await until(() => ana.get().waiting === 0);
  expect(heading(ana, server.place)).toBe("Theirs");
  expect(ana.get().problems).toMatchObject([{ conflict: true, text: { mine: "Mine entirely" } }]);
  write(ana, server.place, "Mine entirely");
  await until(() => ana.get().waiting === 0);
  expect(heading(ana, server.place)).toBe("Mine entirely");
  ana.stop();
});

test("a refused change is taken back and told", async () => {
  const server = createServer();
  server.refuse = refusal("forbidden", "You may not change this page.");
  const ana = await open(server);
  write(ana, server.place, "Not allowed");
  await until(() => ana.get().waiting === 0);
  expect(heading(ana, server.place)).toBe("Good bread");
  expect(ana.get().problems[0]?.message).toBe("Your change was not saved. You may not change this page.");
  ana.stop();
});

test("a log with a gap loads the documents anew and keeps what is pending", async () => {
  const server = createServer();
  const ana = await open(server);
  server.setOnline(false);
  write(ana, server.place, "Pending");
  await until(() => ana.get().link === "lost");
  const [before, loads] = [ana.copy(), server.loads];
  const put = (field: string, value: string): Logged["ops"] => [{ op: "put", entity: { type: "site" }, field, value }];
  const entry = { author: { kind: "local" as const }, summary: "", format: 1 };
  server.lost.add(server.commit({ ...entry, id: "name", ops: put("name", "Southwind") }).seq);
  server.commit({ ...entry, id: "language", ops: put("language", "de") });
  server.setOnline(true);
  await until(() => ana.copy() !== before);
  expect(ana.copy().pending()).toHaveLength(1);
  await until(() => ana.get().waiting === 0 && ana.copy().seq() === 5);
  expect(server.log.map(({ id }) => id)).toEqual(["start", "name", "language", ...server.sent]);
  expect(ana.copy().field({ type: "site" }, "name")).toBe("Southwind");
  expect(ana.copy().field({ type: "site" }, "language")).toBe("de");
  expect(heading(ana, server.place)).toBe("Pending");
  expect(server.loads).toBe(loads + 1);
  ana.stop();
});

test("a tool of the site makes one change of the person, which can be taken back", async () => {
  const server = createServer();
  const sync = await open(server);
  const heading = sync.copy().layers(story.page)[0]?.id ?? "";
  const input = { nodeId: sync.copy().layers(story.page, heading)[0]?.id };
  const view = { current: story.page };
  await sync.run("duplicateNode", input, { summary: "Duplicate", view });
  expect(
    sync
      .copy()
      .layers(story.page, heading)
      .map(({ name }) => name),
  ).toEqual(["heading", "heading", "paragraph"]);
  await until(() => sync.get().waiting === 0);
  expect([server.log.at(-1)?.summary, sync.get().canUndo]).toEqual(["Duplicate", true]);
});

test("what a tool refuses is thrown in its words, and nothing is changed", async () => {
  const server = createServer();
  const sync = await open(server);
  const run = sync.run("deletePage", { pageId: story.page }, { summary: "Delete" });
  await expect(run).rejects.toThrow(/last page/);
  expect(sync.get().waiting).toBe(0);
});

test("what is undone here is not told as somebody else's, and can be redone", async () => {
  const server = createServer();
  const sync = await open(server);
  const others: string[] = [];
  sync.onEntry(({ id }) => others.push(id));
  const change = await rename(sync, server, "One");
  await sync.undo();
  await until(() => sync.copy().seq() === server.log.at(-1)?.seq);
  expect([server.reverts, others, sync.get().canUndo]).toEqual([[{ change }], [], false]);
  await sync.redo();
  const undo = server.log.at(-2)?.id;
  expect([server.reverts.at(-1), sync.get().canUndo, sync.get().canRedo]).toEqual([{ change: undo }, true, false]);
  sync.stop();
});

test("a restore is undone like any other change", async () => {
  const server = createServer();
  const sync = await open(server);
  await rename(sync, server, "One");
  await sync.revert({ after: 2 });
  const restore = server.log.at(-1)?.id;
  await sync.undo();
  expect(server.reverts).toEqual([{ after: 2 }, { change: restore }]);
  sync.stop();
});

test("undoing what cannot be undone says so once, however often it is tried", async () => {
  const server = createServer();
  const sync = await open(server);
  for (const name of ["One", "Two", "Three"]) await rename(sync, server, name);
  server.nothingLeft = true;
  await Promise.all([sync.undo(), sync.undo(), sync.undo()]);
  expect([sync.get().problems.length, sync.get().canUndo]).toEqual([1, false]);
  server.nothingLeft = false;
  await rename(sync, server, "Four");
  await sync.undo();
  expect(sync.get().problems).toEqual([]);
  sync.stop();
});

test("what the assistant did for a request is undone as a whole", async () => {
  const server = createServer();
  const sync = await open(server);
  const made = (id: string, person: string, turn: string) =>
    server.commit({ id, author: { kind: "agent", id: person }, turn, summary: "", ops: [], format: 1 });
  made("c1", "ana", "turn-1");
  made("c2", "ana", "turn-1");
  made("c3", "ben", "turn-2");
  await until(() => sync.copy().seq() === server.log.at(-1)?.seq);
  await sync.undo();
  expect([server.reverts, sync.get().canUndo]).toEqual([[{ turn: "turn-1" }], false]);
  sync.stop();
});

test("undo goes on after a reload", async () => {
  const server = createServer();
  const [outbox, undo] = [memory(), undoMemory()];
  const before = await open(server, outbox, undo);
  const change = await rename(before, server, "One");
  before.stop();
  const after = await open(server, outbox, undo);
  expect(after.get().canUndo).toBe(true);
  await after.undo();
  expect(server.reverts).toEqual([{ change }]);
  after.stop();
});

/** Renames the site and waits until the log has it; gives the change. */
async function rename(sync: Sync, server: ReturnType<typeof createServer>, name: string): Promise<string | undefined> {
  sync.act(name, [{ op: "put", entity: { type: "site" }, field: "name", value: name }]);
  await until(() => sync.get().waiting === 0);
  return server.log.findLast(({ summary }) => summary === name)?.id;
}
