import { expect, test, vi } from "vitest";
import type { Api } from "../api/api";
import type { Account, AccountChange } from "../generated/api";
import { createKept } from "./kept";

function account(preferences: Record<string, string>): Account {
  return { person: { id: "ana", email: "", name: "" }, createdAt: 0, preferences, sessions: [] };
}

function setUp(answers: (() => Promise<Account>)[]) {
  const changeAccount = vi.fn<Api["changeAccount"]>(async (_: AccountChange) => account({}));
  const kept = createKept({ account: () => (answers.shift() ?? (async () => account({})))(), changeAccount });
  return { kept, changeAccount, known: () => vi.waitFor(() => expect(kept.get().isKnown).toBe(true)) };
}

test("nothing counts as there or away before the server has said so", async () => {
  const { kept, known } = setUp([async () => account({ tour: "away", colour: "green" })]);
  expect(kept.get().isKnown).toBe(false);
  kept.load("ana");
  kept.load("ana");
  await known();
  expect(kept.get()).toEqual({ isKnown: true, away: new Set(["tour"]) });
});

test("what is put away goes at once, and the server remembers it; what is brought back is forgotten", async () => {
  const { kept, changeAccount, known } = setUp([]);
  kept.load("ana");
  await known();
  kept.putAway("tour");
  expect(kept.get().away.has("tour")).toBe(true);
  kept.bringBack("tour");
  expect(kept.get().away.has("tour")).toBe(false);
  expect(changeAccount.mock.calls).toEqual([[{ preferences: { tour: "away" } }], [{ preferences: { tour: null } }]]);
});

test("somebody else who signs in is asked for anew, and a server that failed is asked again", async () => {
  const { kept, known } = setUp([
    async () => account({ tour: "away" }),
    () => Promise.reject(new Error("down")),
    async () => account({ checklist: "away" }),
  ]);
  kept.load("ana");
  await known();
  kept.load("bruno");
  expect(kept.get()).toEqual({ isKnown: false, away: new Set() });
  await known();
  expect(kept.get().away.size).toBe(0);
  kept.load("bruno");
  await known();
  expect(kept.get().away.has("checklist")).toBe(true);
});
