import { expect, test, vi } from "vitest";
import { words } from "../glossary";
import { createAgent } from "./agent";
import type { AgentApi } from "./agent-api";
import type { TurnEvent } from "./events";
import type { ProvidersApi } from "./providers";

const OPUS = { credentialId: "c1", modelId: "opus" };

async function* answer(): AsyncGenerator<TurnEvent> {
  yield { type: "bridgeReady", bridgeId: "b", turnId: "t1", epoch: "e", seq: 1 };
  yield { type: "done", outcome: "done", seq: 2 };
}

function setUp(server: { credentials: string[]; preset?: typeof OPUS }, kept: Record<string, string> = {}) {
  const api = {
    say: vi.fn(() => answer()),
    begin: vi.fn(async () => ({ id: "k" })),
    choose: vi.fn(async () => ({})),
    turn: vi.fn(async () => ({})),
    conversation: vi.fn(async () => {
      throw new Error("not asked for");
    }),
  };
  const providersApi = {
    credentials: async () => ({ credentials: server.credentials.map((id) => ({ id, providerId: "anthropic" })) }),
    defaults: async () => ({ defaults: server.preset ? [{ scope: "site", ...server.preset }] : [] }),
    models: async () => ({ models: [], live: true }),
  };
  const agent = createAgent({
    api: api as unknown as AgentApi,
    providersApi: providersApi as unknown as ProvidersApi,
    storage: {
      getItem: (key) => kept[key] ?? null,
      setItem: (key, value) => {
        kept[key] = value;
      },
      removeItem: (key) => delete kept[key],
    },
    pause: async () => undefined,
  });
  return { agent, api, kept };
}

test("without a provider sending says so, and what was written stays", async () => {
  const { agent, api } = setUp({ credentials: [] });
  agent.set({ draft: "Hello" });
  await agent.send();
  expect(agent.chat.get().problem?.message).toBe(words.agent.noProvider("site"));
  expect(agent.get().draft).toBe("Hello");
  expect(api.say).not.toHaveBeenCalled();
});

test("picking a model clears the error and is kept for the conversation that begins then", async () => {
  const { agent, api } = setUp({ credentials: ["c1"] });
  agent.set({ draft: "Hello" });
  await agent.send();
  expect(agent.chat.get().problem).toBeDefined();
  await agent.choose(OPUS);
  expect(agent.chat.get().problem).toBeUndefined();
  expect(api.choose).not.toHaveBeenCalled();
  await agent.send();
  expect(api.begin).toHaveBeenCalledWith("site", OPUS);
  expect(agent.get().draft).toBe("");
});

test("picking another model changes the conversation that is there", async () => {
  const { agent, api } = setUp({ credentials: ["c1"], preset: OPUS });
  agent.set({ draft: "Hello" });
  await agent.send();
  await agent.choose({ ...OPUS, modelId: "haiku" });
  expect(api.choose).toHaveBeenCalledWith("k", { ...OPUS, modelId: "haiku" });
});

test("the width, the open panel, the conversation and what was written are there after a reload", async () => {
  const { agent, kept } = setUp({ credentials: ["c1"], preset: OPUS });
  agent.toggle();
  agent.set({ width: 9999, draft: "Hello" });
  await agent.send();
  agent.set({ draft: "And" });
  const { agent: again } = setUp({ credentials: [] }, kept);
  expect(again.get()).toMatchObject({ isOpen: true, draft: "And" });
  expect(again.get().width).toBeLessThan(1000);
  expect(JSON.parse(kept["sitewright.agent"] ?? "{}")).toMatchObject({ conversation: "k" });
});

test("each workspace has its own conversation, provider and snapshot, and one panel", async () => {
  const { agent, api, kept } = setUp({ credentials: ["c1"], preset: OPUS });
  api.begin.mockImplementation(async (...[scope]: unknown[]) => ({ id: `in ${String(scope)}` }));
  agent.toggle();
  const open = { snapshot: () => ({ currentEntryId: "e1" }), settle: async () => undefined, run: vi.fn() };
  agent.openSite(open, "content");
  agent.set({ draft: "Add a page" });
  await agent.send();
  agent.enter("content");
  expect(agent.get()).toMatchObject({ isOpen: true, workspace: "content" });
  expect(agent.chat.get().conversationId).toBeNull();
  expect(agent.of("site").chat.get().conversationId).toBe("in site");
  await agent.providers.refresh();
  expect(agent.providers.get().choice).toBeNull();
  await agent.choose({ ...OPUS, modelId: "haiku" });
  agent.set({ draft: "Write a post", isPlanning: true });
  await agent.send();
  const said = api.say.mock.calls.map((call: unknown[]) => call.slice(0, 2));
  expect(said).toMatchObject([
    ["site", { conversationId: "in site", prompt: "Add a page", snapshot: undefined }],
    ["content", { conversationId: "in content", mode: "edit", snapshot: { currentEntryId: "e1" } }],
  ]);
  agent.enter("site");
  expect(agent.chat.get().conversationId).toBe("in site");
  expect(JSON.parse(kept["sitewright.agent"] ?? "{}")).toMatchObject({
    conversation: "in site",
    contentConversation: "in content",
  });
});

test("a change that the assistant made is counted, so that what shows it can read it again", async () => {
  const { agent, api } = setUp({ credentials: ["c1"], preset: OPUS });
  api.say.mockImplementation(async function* (): AsyncGenerator<TurnEvent> {
    yield { type: "bridgeReady", bridgeId: "b", turnId: "t1", epoch: "e", seq: 1 };
    yield { type: "toolCall", toolCallId: "c", toolName: "createPost", input: {}, seq: 2 } as TurnEvent;
    const receipt = { created: [{ kind: "entry", id: "e1" }] };
    yield { type: "change", toolCallId: "c", toolName: "createPost", receipt, seq: 3 } as TurnEvent;
    yield { type: "done", outcome: "done", seq: 4 };
  });
  agent.set({ draft: "Write a post" });
  await agent.send();
  await vi.waitFor(() => expect(agent.get().changes).toBe(1));
  agent.noteChange();
  expect(agent.get().changes).toBe(2);
});
