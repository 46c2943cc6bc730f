import { expect, test } from "vitest";
import type { CallInfo } from "../generated/api";
import {
  answerBy,
  consequences,
  effects,
  isOpen,
  outcomeOf,
  reasonOf,
  receiptLines,
  runTitle,
  splitLooks,
  toolTitle,
  whoCalls,
} from "./call-words";

const CALL: CallInfo = {
  id: "c1",
  card: "c1",
  tool: "deletePage",
  title: "Delete a page",
  scope: "site",
  caller: "token:t1",
  callerName: "Claude",
  callerKind: "agent",
  state: "waiting",
  canBeGranted: false,
  canBeRepeated: true,
  at: 1000,
};

const call = (changes: Partial<CallInfo>): CallInfo => ({ ...CALL, ...changes });
const page = (name: string) => ({ kind: "page", id: name, name });

function would(change: object, receipt: object): string[] {
  return consequences(call({ preview: { change, receipt } }));
}

test("removing a page says so with its name", () => {
  expect(would({ pagesRemoved: 1, pagesTouched: 1 }, { removed: [page("News")] })).toEqual(["Removes 1 page: “News”"]);
});

test("publishing names the pages that visitors would see otherwise, and what to look at first", () => {
  const route = (title: string, change: string, more: object = {}) => ({ address: "/", title, change, ...more });
  const preview = {
    changes: [
      route("Home", "changed", { hasScripts: true, problems: ["A picture is missing."] }),
      route("Prices", "new"),
      route("Team", "new", { tainted: true }),
      route("News", "removed"),
    ],
    problems: [],
  };
  expect(consequences(call({ tool: "publishSite", preview }))).toEqual([
    "Publishes to all visitors",
    "Removes 1 page: “News”",
    "Adds code that runs in visitors’ browsers",
    "Includes content from outside this site",
    "Changes 1 page: “Home”",
    "Adds 2 pages: “Prices”, “Team”",
    "A picture is missing.",
  ]);
});

test("what is gravest comes first, and kinds are counted apart", () => {
  const receipt = {
    created: [{ kind: "file", id: "f", name: "menu.js" }],
    changed: [page("Home"), { kind: "site", id: "s", name: "Northwind" }],
    removed: [{ kind: "node", id: "n" }],
    sanitised: [{ what: "onclick", at: "a", count: 2 }],
    notes: ["Two pages link to it."],
  };
  const change = {
    nodesRemoved: 7,
    codeTouched: true,
    headCode: true,
    publishes: true,
    locksTouched: 1,
    pagesTouched: 12,
  };
  expect(would(change, receipt)).toEqual([
    "Removes 7 elements",
    "Publishes to all visitors",
    "Changes scripts that run in visitors’ browsers",
    "Changes code in the page head",
    "Changes 1 locked part",
    "Changes the site settings",
    "Changes 1 page: “Home”",
    "Adds 1 code file: “menu.js”",
    "Affects 12 pages",
    "Leaves out 2 unsafe parts",
    "Two pages link to it.",
  ]);
});

test("many names are cut short and odd previews still say something", () => {
  const removed = ["a", "b", "c", "d", "e", "f", "g"].map(page);
  expect(would({ pagesRemoved: 7 }, { removed })).toEqual(["Removes 7 pages: “a”, “b”, “c”, “d”, “e”, 2 more"]);
  expect(would({}, {})).toEqual(["Changes the site"]);
  expect(would({ pagesRemoved: "many" }, { removed: [null, 3, { kind: "garden" }] })).toEqual(["Removes 1 garden"]);
});

test("of a tool that works elsewhere nothing is known beforehand", () => {
  expect(consequences(call({}))).toEqual([]);
});

test("what a call did comes from its answer", () => {
  const receipt = { created: [page("News")] };
  expect(effects(call({ state: "done", outcome: { ok: true, latencyMs: 1, attempts: 1, receipt } }))).toEqual([
    "Added 1 page: “News”",
  ]);
  expect(receiptLines({ created: [], changed: [], removed: [] })).toEqual([]);
});

test("elements without a name are told by a word for their tag", () => {
  const node = (name: string) => ({ kind: "node", id: name, name });
  const receipt = { created: [node("section.testimonials"), node("h1"), node("Hero art")], changed: [], removed: [] };
  expect(receiptLines(receipt)).toEqual(["Added 3 elements: section “testimonials”, heading, “Hero art”"]);
});

test("a run is told by what it did, and what only looked is apart", () => {
  expect(runTitle(call({ state: "done" }))).toBe("Deleted a page");
  expect(runTitle(call({ state: "failed" }))).toBe("Delete a page");
  const look = call({ id: "c2", tool: "read_document", state: "done" });
  const failed = call({ id: "c3", tool: "read_document", state: "failed" });
  const { looks, others } = splitLooks([look, call({}), failed]);
  expect([looks, others].map((calls) => calls.map(({ id }) => id))).toEqual([["c2"], ["c1", "c3"]]);
});

test("the assistant acts for somebody, and an agent with a token for itself", () => {
  const byAssistant = call({ caller: "user:u1", callerName: "Ana" });
  expect(whoCalls(byAssistant)).toBe("The assistant, for Ana");
  expect(whoCalls(byAssistant, "u1")).toBe("The assistant, for you");
  expect(whoCalls(call({ caller: "local", callerName: null }))).toBe("The assistant");
  expect(whoCalls(call({ caller: "user:u1", callerName: "Ana", callerKind: "person" }), "u1")).toBe("Ana");
});

test("the policy's sentences are shown without their frame", () => {
  const why =
    "It needs a person's approval. Removing a page needs approval. (policy `removing-a-page-asks`) What mattered: it removes 1 page.";
  expect(reasonOf(why)).toBe("Removing a page needs approval.");
  expect(reasonOf("It needs a person's approval.")).toBe("It needs a person's approval.");
});

test("an outcome says who approved and why it failed", () => {
  const error = { code: "conflict", message: "The page is gone.", retryable: false } as const;
  const failed = { ok: false, latencyMs: 1, attempts: 1, error };
  const said = (changes: Partial<CallInfo>) => outcomeOf(call(changes)).text;
  expect(said({ state: "done", approvedBy: "Ana" })).toBe("Approved by Ana. Done.");
  expect(said({ state: "failed", approvedBy: "local", outcome: failed })).toBe(
    "Approved by someone on the server. It was not done. The page is gone.",
  );
  expect(said({ state: "denied" })).toBe("Denied. Nothing was done.");
  expect(said({ state: "asleep" })).toBe("asleep");
});

test("names nobody knows and tools without a title have words too", () => {
  expect([whoCalls(call({})), whoCalls(call({ callerName: null }))]).toEqual(["Claude", "A former member"]);
  expect(whoCalls(call({ caller: "local", callerName: null, callerKind: "person" }))).toBe("System");
  expect(toolTitle(call({ title: null }))).toBe("deletePage");
});

test("a card is open until its time is over or it is decided", () => {
  const card = (changes: Partial<CallInfo>) => ({ id: "c1", calls: [call(changes), call({ state: "done" })] });
  expect(isOpen(card({ expiresAt: 2000 }), 1999)).toBe(true);
  expect(isOpen(card({ expiresAt: 2000 }), 2000)).toBe(false);
  expect(isOpen(card({ state: "denied" }), 0)).toBe(false);
  expect([answerBy(card({ expiresAt: 2000 })), answerBy(card({ state: "denied" }))]).toEqual([2000, undefined]);
});

test("a call that only read does not claim a change, and one that names nothing still does", () => {
  expect(receiptLines({})).toEqual([]);
  expect(receiptLines({ created: [page("News")] })).toEqual(["Added 1 page: “News”"]);
  expect(would({}, {})).toEqual(["Changes the site"]);
});
