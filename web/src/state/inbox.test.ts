import { expect, test, vi } from "vitest";
import { ApiError } from "../api/problem";
import type { Card, Decision, Waiting } from "../generated/api";
import { createInboxStore, waitingIn } from "./inbox";

function card(id: string, state = "waiting", approvedBy?: string): Card {
  const call = { tool: "t", scope: "site", caller: "token:t", canBeGranted: false, canBeRepeated: false, at: 0 };
  return { id, calls: [{ ...call, id, card: id, state, approvedBy }] };
}

const refusal = (status: number) =>
  new ApiError({ status, code: "conflict", detail: "This call does not wait for a decision: it is done.", errors: {} });

/** A server whose cards a test changes, and a page that a test wakes up. */
function setUp(...waiting: Card[]) {
  const server = { waiting, decided: new Map<string, Card>(), isVisible: true };
  const api = {
    approvals: vi.fn(async (): Promise<Waiting> => ({ approvals: [...server.waiting] })),
    approval: vi.fn(async (id: string): Promise<Card> => {
      const found = server.decided.get(id);
      if (found === undefined) throw refusal(404);
      return found;
    }),
    decide: vi.fn(async (id: string, { decision }: Decision): Promise<Card> => {
      const found = server.waiting.find((one) => one.id === id);
      if (found === undefined) throw refusal(409);
      end(card(id, decision === "approve" ? "done" : "denied", "Ana"));
      return card(id, decision === "approve" ? "done" : "denied", "Ana");
    }),
  };
  function end(decided: Card) {
    server.waiting = server.waiting.filter(({ id }) => id !== decided.id);
    server.decided.set(decided.id, decided);
  }
  let look = () => {};
  const inbox = createInboxStore(api, {
    isVisible: () => server.isVisible,
    onReturn: () => () => {},
    every(_ms, run) {
      look = run;
      return () => {
        look = () => {};
      };
    },
  });
  const shown = () => {
    const state = inbox.get();
    return state.status === "ready"
      ? state.entries.map((entry) => `${entry.card.id} ${entry.card.calls[0]?.state}`)
      : state.status;
  };
  return { inbox, api, server, end, shown, look: () => look() };
}

test("a hidden page does not ask, and one that is left forgets", async () => {
  const { inbox, api, server, shown, look } = setUp(card("a"));
  const leave = inbox.watch();
  await inbox.refresh();
  expect([shown(), waitingIn(inbox.get())]).toEqual([["a waiting"], 1]);
  server.isVisible = false;
  look();
  expect(api.approvals).toHaveBeenCalledTimes(1);
  server.isVisible = true;
  look();
  expect(api.approvals).toHaveBeenCalledTimes(2);
  leave();
  expect(shown()).toBe("loading");
});

test("an answer that comes after the person left is not shown to the next", async () => {
  const { inbox, shown } = setUp(card("a"));
  const leave = inbox.watch();
  const late = inbox.refresh();
  leave();
  await late;
  expect(shown()).toBe("loading");
});

test("what is decided stays in its place while it is looked at, and is not counted", async () => {
  const { inbox, shown } = setUp(card("a"), card("b"));
  inbox.watch();
  const leave = inbox.keepDecided();
  await inbox.refresh();
  await inbox.decide("a", { decision: "approve" });
  await inbox.refresh();
  expect([shown(), waitingIn(inbox.get())]).toEqual([["a done", "b waiting"], 1]);
  leave();
  expect(shown()).toEqual(["b waiting"]);
});

test("what somebody else decided shows what came of it, and new cards come last", async () => {
  const { inbox, server, end, shown } = setUp(card("a"), card("b"), card("c"));
  inbox.watch();
  inbox.keepDecided();
  await inbox.refresh();
  end(card("a", "running", "Bruno"));
  server.waiting = [card("c"), card("d")];
  await inbox.refresh();
  expect(shown()).toEqual(["a running", "c waiting", "d waiting"]);
  end(card("a", "done", "Bruno"));
  await inbox.refresh();
  expect(shown()).toEqual(["a done", "c waiting", "d waiting"]);
});

test("deciding what is decided already answers with the other decision and the server's words", async () => {
  const { inbox, end } = setUp(card("a"));
  inbox.watch();
  await inbox.refresh();
  end(card("a", "done", "Bruno"));
  const entry = await inbox.decide("a", { decision: "deny" });
  expect(entry).toEqual({
    card: card("a", "done", "Bruno"),
    overtaken: "This call does not wait for a decision: it is done.",
  });
});

test("a refusal that is not about another decision is the decider's to see", async () => {
  const { inbox, api } = setUp(card("a"));
  api.decide.mockRejectedValueOnce(refusal(403));
  await expect(inbox.decide("a", { decision: "approve" })).rejects.toMatchObject({ status: 403 });
});

test("a list from before a decision does not bring the card back", async () => {
  const { inbox, api, shown } = setUp(card("a"));
  inbox.watch();
  inbox.keepDecided();
  await inbox.refresh();
  let answer = (_: Waiting) => {};
  api.approvals.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const old = inbox.refresh();
  await inbox.decide("a", { decision: "deny" });
  answer({ approvals: [card("a")] });
  await old;
  expect(shown()).toEqual(["a denied"]);
});

test("a look that fails leaves what is shown, and says so when nothing is", async () => {
  const { inbox, api, shown } = setUp(card("a"));
  api.approvals.mockRejectedValueOnce(refusal(500));
  inbox.watch();
  await inbox.refresh();
  expect(shown()).toBe("failed");
  await inbox.refresh();
  api.approvals.mockRejectedValueOnce(refusal(500));
  await inbox.refresh();
  expect(shown()).toEqual(["a waiting"]);
});
