import { expect, test, vi } from "vitest";
import { ApiError, unreachable } from "../api/problem";
import type { AgentApi } from "./agent-api";
import { type ChatOptions, createChat, type OpenSite } from "./chat";
import type { TurnEvent } from "./events";

/** A line of a stream: an event, or what breaks it off. */
type Line = TurnEvent | Error;

const READY: Line = { type: "bridgeReady", bridgeId: "b", turnId: "t1", epoch: "e", seq: 1 };
const text = (said: string, seq: number): Line => ({ type: "text", text: said, seq });
const DONE: Line = { type: "done", outcome: "done", seq: 99 };
const state = (status: "running" | "done", said: string): Line => ({
  type: "state",
  turnId: "t1",
  conversationId: "k",
  epoch: "e",
  seq: 5,
  status,
  blocks: [
    { kind: "user", text: "Hello" },
    { kind: "text", text: said },
  ],
  approvals: [],
  plan: null,
  contextTokens: null,
});
const CUT = unreachable(new Error("cut"));

async function* stream(lines: readonly Line[]): AsyncGenerator<TurnEvent> {
  for (const line of lines) {
    if (line instanceof Error) throw line;
    yield line;
  }
}

const conversation = (lastTurn?: { id: string; state: string }) => ({
  conversation: {
    id: "k",
    scope: "site" as const,
    title: "",
    credentialId: null,
    modelId: "offline",
    createdAt: 0,
    updatedAt: 0,
  },
  messages: lastTurn
    ? [{ seq: 1, turnId: lastTurn.id, role: "user", content: [{ kind: "text", text: "Hello" }], at: 1 }]
    : [],
  lastTurn,
});

function setUp(said: Line[][], followed: Line[][] = [], site?: OpenSite) {
  const api = {
    say: vi.fn(() => stream(said.shift() ?? [])),
    goOn: vi.fn(() => stream(said.shift() ?? [])),
    follow: vi.fn((..._: unknown[]) => stream(followed.shift() ?? [])),
    abort: vi.fn(async () => ({})),
    turn: vi.fn(async () => ({ outcome: { costUsd: 0.5 } })),
    answer: vi.fn(async () => undefined),
    conversation: vi.fn(async () => conversation()),
    begin: vi.fn(async () => ({ id: "k" })),
    remove: vi.fn(async () => undefined),
  };
  const remembered: (string | null)[] = [];
  const pauses: number[] = [];
  const options: ChatOptions = {
    api: api as unknown as AgentApi,
    scope: "site",
    choice: () => ({ credentialId: null, modelId: "offline" }),
    onChoice: () => undefined,
    site: () => site,
    memory: { read: () => remembered.at(-1) ?? null, write: (id) => void remembered.push(id) },
    now: () => 0,
    pause: async (ms) => void pauses.push(ms),
  };
  const chat = createChat(options);
  const shown = () =>
    chat
      .get()
      .transcript.turns.map(({ id, status, items }) => [
        id,
        status,
        ...items.map((item) => "text" in item && item.text),
      ]);
  const idle = () => vi.waitFor(() => expect(chat.get().link).toBe("idle"));
  return { chat, api, shown, idle, pauses, remembered };
}

const HELLO = { text: "Hello", images: [], mode: "edit" } as const;

test("the first thing said begins a conversation, and the turn's cost is looked up at its end", async () => {
  const { chat, api, shown, idle, remembered } = setUp([[READY, text("Hi.", 2), DONE]]);
  expect(await chat.send(HELLO)).toBe(true);
  await idle();
  expect(shown()).toEqual([["t1", "done", "Hello", "Hi."]]);
  expect(remembered).toEqual(["k"]);
  await vi.waitFor(() => expect(chat.get().outcomes.t1).toEqual({ costUsd: 0.5 }));
  expect(api.begin).toHaveBeenCalledTimes(1);
});

test("a connection that breaks is taken up where it was, with longer and longer pauses", async () => {
  const { chat, api, shown, idle, pauses } = setUp(
    [[READY, text("One ", 2), CUT]],
    [[CUT], [CUT], [text("two.", 3), CUT], [state("running", "One two."), text(" Three.", 6), DONE]],
  );
  await chat.send(HELLO);
  await idle();
  expect(shown()).toEqual([["t1", "done", "Hello", "One two. Three."]]);
  expect(pauses).toEqual([500, 1000, 2000, 500]);
  expect(api.follow.mock.calls[0]?.slice(0, 2)).toEqual(["t1", { bridgeId: "b", epoch: "e", seq: 2 }]);
  expect(api.say).toHaveBeenCalledTimes(1);
});

test("what the server did not hear is given back, and what it heard after all is found again", async () => {
  const lost = setUp([[CUT]]);
  expect(await lost.chat.send(HELLO)).toBe(false);
  expect(lost.shown()).toEqual([]);
  expect(lost.chat.get().problem?.code).toBe("unreachable");

  const heard = setUp([[CUT]], [[state("done", "Hi.")]]);
  heard.api.conversation.mockResolvedValue(conversation({ id: "t1", state: "running" }));
  expect(await heard.chat.send(HELLO)).toBe(true);
  await vi.waitFor(() => expect(heard.shown()).toEqual([["t1", "done", "Hello", "Hi."]]));
  expect(heard.chat.get().problem).toBeUndefined();
});

test("a refusal is a problem and nothing was said", async () => {
  const refusal = new ApiError({ status: 409, code: "conflict", detail: "Choose a model.", errors: {} });
  const { chat, api, shown } = setUp([[refusal]]);
  expect(await chat.send(HELLO)).toBe(false);
  expect([shown(), chat.get().problem?.message]).toEqual([[], "Choose a model."]);
  expect(api.conversation).not.toHaveBeenCalled();
});

test("what is said while a turn is under way is handed to it, and the turn after it is heard too", async () => {
  let release: (line: Line[]) => void = () => undefined;
  const rest = new Promise<Line[]>((resolve) => {
    release = resolve;
  });
  const { chat, api, shown, idle } = setUp(
    [],
    [
      [
        {
          type: "state",
          turnId: "t2",
          conversationId: "k",
          epoch: "f",
          seq: 1,
          status: "running",
          blocks: [{ kind: "user", text: "And?" }],
          approvals: [],
          plan: null,
          contextTokens: null,
        },
        text("So.", 2),
        DONE,
      ],
    ],
  );
  api.say.mockImplementationOnce(async function* () {
    yield READY as TurnEvent;
    yield* stream(await rest);
  } as never);
  await chat.send(HELLO);
  api.say.mockImplementationOnce(() => stream([state("running", "")]));
  expect(await chat.send({ ...HELLO, text: "And?" })).toBe(true);
  release([{ type: "queued", text: "And?" }, { type: "nextTurn", turnId: "t2" }, DONE]);
  await idle();
  expect(shown()).toEqual([
    ["t1", "done", "Hello"],
    ["t2", "done", "And?", "So."],
  ]);
  expect(api.follow.mock.calls[0]?.slice(0, 2)).toEqual(["t2", {}]);
});

test("tools run in the open site after its edits are saved, and a failure is an answer", async () => {
  const order: string[] = [];
  const site: OpenSite = {
    snapshot: () => ({ currentDocument: null, selectedNodeId: null, activeBreakpointId: "desktop" }),
    settle: async () => void order.push("settled"),
    run: async ({ toolName }) => {
      order.push(toolName);
      if (toolName === "broken") throw new Error("no");
      return { result: { ok: true, data: 1 }, changes: [] };
    },
  };
  const request = (requestId: string, toolName: string): Line => ({
    type: "toolRequest",
    requestId,
    toolName,
    input: {},
    changeId: "x",
  });
  const { chat, api, idle } = setUp([[READY, request("r1", "addPage"), request("r2", "broken"), DONE]], [], site);
  await chat.send(HELLO);
  await idle();
  await vi.waitFor(() => expect(api.answer).toHaveBeenCalledTimes(2));
  expect(order).toEqual(["settled", "addPage", "broken"]);
  expect(api.answer.mock.calls).toMatchObject([
    [{ bridgeId: "b", requestId: "r1", result: { ok: true, data: 1 } }],
    [{ bridgeId: "b", requestId: "r2", result: { ok: false } }],
  ]);
});

test("a turn that was not seen whole is shown as it is stored once it is over", async () => {
  const { chat, api, shown, idle } = setUp([[READY, text("One ", 2), CUT]], [[state("running", "One two."), DONE]]);
  const stored = conversation({ id: "t1", state: "done" });
  const content = [{ kind: "text", text: "One two, stored." }];
  stored.messages.push({ seq: 2, turnId: "t1", role: "assistant", content, at: 2 });
  api.conversation.mockResolvedValue(stored);
  await chat.send(HELLO);
  await idle();
  await vi.waitFor(() => expect(shown()).toEqual([["t1", "done", "Hello", "One two, stored."]]));
});

test("a reload finds the conversation and the turn that goes on", async () => {
  const { chat, api, shown, remembered } = setUp([], [[state("running", "One."), text(" Two.", 6), DONE]]);
  remembered.push("k");
  api.conversation.mockResolvedValue(conversation({ id: "t1", state: "running" }));
  await chat.resume();
  await vi.waitFor(() => expect(shown()).toEqual([["t1", "done", "Hello", "One. Two."]]));
});

test("a stop that is wanted before the turn has a name stops it once it has one", async () => {
  const { chat, api, idle } = setUp([]);
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  api.say.mockImplementationOnce(async function* () {
    await answered;
    yield* stream([READY, { type: "done", outcome: "stopped", seq: 2 }]);
  } as never);
  const sent = chat.send(HELLO);
  await vi.waitFor(() => expect(chat.get().transcript.turns).toHaveLength(1));
  await chat.stop();
  answer();
  await sent;
  await idle();
  expect(api.abort).toHaveBeenCalledWith("t1");
  expect(chat.get().transcript.turns[0]?.status).toBe("stopped");
});

test("when the site is closed, the turn goes on without this tab", async () => {
  const { chat, api, shown, idle } = setUp([], [[state("running", "On the server."), DONE]]);
  api.say.mockImplementationOnce(async function* (...[, , until]: [unknown, unknown, AbortSignal]) {
    yield READY as TurnEvent;
    await new Promise((_, reject) => until.addEventListener("abort", () => reject(CUT)));
  } as never);
  await chat.send(HELLO);
  chat.detachSite();
  await idle();
  expect(api.follow.mock.calls[0]?.slice(0, 2)).toEqual(["t1", { bridgeId: undefined, epoch: "e", seq: 1 }]);
  expect(shown()).toEqual([["t1", "done", "Hello", "On the server."]]);
});
