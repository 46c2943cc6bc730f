import { expect, test, vi } from "vitest";
import type { Api } from "../api/api";
import type { Account, AccountChange } from "../generated/api";
import { createDismissedStore } from "./dismissed";

function account(preferences: Record<string, string>): Account {
  return {
    person: { id: "ana", email: "", name: "" },
    createdAt: 0,
    preferences,
    sessions: [],
    passkeys: [],
    notices: [],
  };
}

function setUp(answers: (() => Promise<Account>)[]) {
  const changeAccount = vi.fn<Api["changeAccount"]>(async (_: AccountChange) => account({}));
  const dismissed = createDismissedStore({
    account: () => (answers.shift() ?? (async () => account({})))(),
    changeAccount,
  });
  return { dismissed, changeAccount, known: () => vi.waitFor(() => expect(dismissed.get().isKnown).toBe(true)) };
}

test("nothing counts as there or away before the server has said so", async () => {
  const { dismissed, known } = setUp([async () => account({ tour: "away", colour: "green" })]);
  expect(dismissed.get().isKnown).toBe(false);
  dismissed.load("ana");
  dismissed.load("ana");
  await known();
  expect(dismissed.get()).toEqual({ isKnown: true, names: new Set(["tour"]) });
});

test("what is put away goes at once, and the server remembers it; what is brought back is forgotten", async () => {
  const { dismissed, changeAccount, known } = setUp([]);
  dismissed.load("ana");
  await known();
  dismissed.dismiss("tour");
  expect(dismissed.get().names.has("tour")).toBe(true);
  dismissed.restore("tour");
  expect(dismissed.get().names.has("tour")).toBe(false);
  expect(changeAccount.mock.calls).toEqual([[{ preferences: { tour: "away" } }], [{ preferences: { tour: null } }]]);
});

test("somebody else who signs in is asked for anew, and a server that failed is asked again", async () => {
  const { dismissed, known } = setUp([
    async () => account({ tour: "away" }),
    () => Promise.reject(new Error("down")),
    async () => account({ checklist: "away" }),
  ]);
  dismissed.load("ana");
  await known();
  dismissed.load("bruno");
  expect(dismissed.get()).toEqual({ isKnown: false, names: new Set() });
  await known();
  expect(dismissed.get().names.size).toBe(0);
  dismissed.load("bruno");
  await known();
  expect(dismissed.get().names.has("checklist")).toBe(true);
});
