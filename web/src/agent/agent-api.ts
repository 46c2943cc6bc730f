// The routes of conversations and turns as functions. Nothing here decides anything.
import type { Client } from "../api/client";
import type { Conversations, ConversationView, Envelope, TurnInfo, WithMessages } from "../generated/api";
import type { Change, Expect } from "../site/model";
import { asEvent, type TurnEvent } from "./events";
import type { Picture } from "./transcript";

/** What the editor shows. */
export interface Snapshot {
  currentDocument: { type: string; id: string } | null;
  selectedNodeId: string | null;
  activeBreakpointId: string | null;
}

export interface Saying {
  conversationId: string;
  prompt: string;
  images: readonly Picture[];
  mode: "edit" | "plan";
  /** Present while this tab shows the site and can run tools. */
  snapshot?: Snapshot;
}

/** What a tool said in this tab. */
export interface TabResult {
  ok: boolean;
  data?: unknown;
  error?: string;
  images?: unknown[];
  receipt?: unknown;
}

export interface ToolAnswer {
  bridgeId: string;
  requestId: string;
  result: TabResult;
  changes?: (Change & { expects: Expect[] })[];
  snapshot?: Snapshot;
}

/** Where a tab left off, so that nothing is told twice. */
export interface Place {
  epoch?: string;
  seq?: number;
  bridgeId?: string;
}

/** Whose access is used, and which model; no credential for the built-in commands. */
export interface Choice {
  credentialId: string | null;
  modelId: string;
}

/** Requests of one kind that the built-in commands understand. */
export interface CommandGroup {
  title: string;
  examples: string[];
}

export interface AgentApi {
  say(scope: string, saying: Saying, signal: AbortSignal): AsyncGenerator<TurnEvent>;
  /** Goes on with a turn that was interrupted. */
  goOn(scope: string, conversationId: string, turnId: string, signal: AbortSignal): AsyncGenerator<TurnEvent>;
  follow(turnId: string, place: Place, signal: AbortSignal): AsyncGenerator<TurnEvent>;
  abort(turnId: string): Promise<unknown>;
  turn(turnId: string): Promise<TurnInfo>;
  answer(answer: ToolAnswer): Promise<void>;
  accept(turnId: string, accept: readonly number[]): Promise<Envelope>;
  preview(turnId: string, accept: readonly number[], pageId?: string): Promise<Envelope>;
  conversations(scope: string): Promise<ConversationView[]>;
  conversation(id: string): Promise<WithMessages>;
  begin(scope: string, choice: Choice | null): Promise<ConversationView>;
  choose(id: string, choice: Choice): Promise<ConversationView>;
  remove(id: string): Promise<void>;
  commands(): Promise<CommandGroup[]>;
  /** The last entry of the site's log, for whoever has it up to one. */
  latest(after: number): Promise<number>;
}

export function createAgentApi(client: Client): AgentApi {
  const turns = (id: string) => `/ai/turns/${encodeURIComponent(id)}`;
  const one = (id: string) => `/ai/conversations/${encodeURIComponent(id)}`;
  async function* events(path: string, options: { body?: unknown; signal: AbortSignal }) {
    for await (const line of client.lines(path, options)) {
      const event = asEvent(line);
      if (event !== undefined) yield event;
    }
  }
  return {
    say: (scope, saying, signal) => events(`/ai/chat/${scope}`, { body: saying, signal }),
    goOn: (scope, conversationId, turnId, signal) =>
      events(`/ai/chat/${scope}`, { body: { conversationId, turnId }, signal }),
    follow(turnId, { epoch, seq, bridgeId }, signal) {
      const query = new URLSearchParams();
      if (epoch !== undefined && seq !== undefined) {
        query.set("epoch", epoch);
        query.set("after", String(seq));
      }
      if (bridgeId !== undefined) query.set("bridgeId", bridgeId);
      return events(`${turns(turnId)}/events?${query}`, { signal });
    },
    abort: (turnId) => client.send("POST", `${turns(turnId)}/abort`),
    turn: (turnId) => client.get(turns(turnId)),
    answer: (answer) => client.send("POST", "/ai/tool-result", answer),
    accept: (turnId, accept) => client.send("POST", `${turns(turnId)}/plan`, { accept }),
    preview: (turnId, accept, pageId) => client.send("POST", `${turns(turnId)}/plan/preview`, { accept, pageId }),
    conversations: async (scope) => (await client.get<Conversations>(`/ai/conversations?scope=${scope}`)).conversations,
    conversation: (id) => client.get(one(id)),
    begin: (scope, choice) => client.send("POST", "/ai/conversations", { scope, ...choice }),
    choose: (id, choice) => client.send("PATCH", one(id), choice),
    remove: (id) => client.send("DELETE", one(id)),
    async latest(after) {
      const { changes } = await client.get<{ changes: { seq: number }[] }>(`/site/changes?after=${after}`);
      return changes.at(-1)?.seq ?? after;
    },
    commands: async () => (await client.get<{ groups: CommandGroup[] }>("/ai/commands")).groups,
  };
}
