import { expect, test } from "vitest";
import type { Author } from "../../generated/api";
import { stepsOf } from "./checklist";
import type { HomeFacts } from "./home-facts";

const ALL = ["site.write", "ai.chat", "ai.providers.manage", "users.manage", "site.publish"];
const NOTHING: HomeFacts = {
  release: null,
  changes: [],
  hasProvider: false,
  people: 1,
  unknownCalls: 0,
  unresolvedMissions: 0,
};
const change = (author: Author) => ({ seq: 1, id: "c1", author, summary: "", at: 0, tainted: false, documents: [] });
const done = (facts: HomeFacts, name = "My site") =>
  stepsOf(facts, name, ALL).flatMap((step) => (step.done ? [step.name] : []));

test("nothing is done on a fresh site, whatever the product itself put there", () => {
  expect(done(NOTHING)).toEqual([]);
  expect(done({ ...NOTHING, changes: [change({ kind: "local" })] })).toEqual([]);
});

test("each step is ticked by its own fact", () => {
  expect(done(NOTHING, "Northwind")).toEqual(["name"]);
  expect(done({ ...NOTHING, hasProvider: true })).toEqual(["assistant"]);
  expect(done({ ...NOTHING, changes: [change({ kind: "person", id: "ana" })] })).toEqual(["page"]);
  expect(done({ ...NOTHING, changes: [change({ kind: "agent", id: "ana" })] })).toEqual(["assistant", "page"]);
  expect(done({ ...NOTHING, people: 2 })).toEqual(["invite"]);
});

test("nobody is told to do what they may not do", () => {
  expect(stepsOf(NOTHING, "My site", ["ai.chat"]).map(({ name, path }) => [name, path])).toEqual([
    ["assistant", "/site"],
  ]);
});
