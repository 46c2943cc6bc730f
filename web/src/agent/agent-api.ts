// The routes of conversations and turns as functions. Nothing here decides anything.
import type { Client } from "../api/client";
import type {
  Aborted,
  CommandExamples,
  ConversationView,
  EditorSnapshot,
  Envelope,
  Scope,
  TabSaid,
  TurnInfo,
  WithMessages,
} from "../generated/api";
import type { TurnEvent } from "./events";
import type { Picture } from "./transcript";

export interface Saying {
  conversationId: string;
  prompt: string;
  images: readonly Picture[];
  mode: "edit" | "plan";
  /** Present while this tab shows the site and can run tools. */
  snapshot?: EditorSnapshot;
}

/** What a tab answers to a tool request. */
export type ToolAnswer = TabSaid;

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

export interface AgentApi {
  say(scope: Scope, saying: Saying, signal: AbortSignal): AsyncGenerator<TurnEvent>;
  /** Goes on with a turn that was interrupted. */
  goOn(scope: Scope, conversationId: string, turnId: string, signal: AbortSignal): AsyncGenerator<TurnEvent>;
  follow(turnId: string, place: Place, signal: AbortSignal): AsyncGenerator<TurnEvent>;
  abort(turnId: string): Promise<Aborted>;
  turn(turnId: string): Promise<TurnInfo>;
  answer(answer: ToolAnswer): Promise<void>;
  accept(turnId: string, accept: readonly number[]): Promise<Envelope>;
  preview(turnId: string, accept: readonly number[], pageId?: string): Promise<Envelope>;
  conversations(scope: Scope): Promise<ConversationView[]>;
  conversation(id: string): Promise<WithMessages>;
  begin(scope: Scope, choice: Choice | null): Promise<ConversationView>;
  choose(id: string, choice: Choice): Promise<ConversationView>;
  remove(id: string): Promise<void>;
  commands(): Promise<CommandExamples[]>;
  /** The last entry of the site's log, for whoever has it up to one. */
  latest(after: number): Promise<number>;
}

export function createAgentApi(client: Client): AgentApi {
  return {
    say: (scope, saying, signal) =>
      client.postLines(
        "/admin/api/ai/chat/{scope}",
        { params: { scope }, body: { ...saying, images: [...saying.images] } },
        signal,
      ),
    goOn: (scope, conversationId, turnId, signal) =>
      client.postLines("/admin/api/ai/chat/{scope}", { params: { scope }, body: { conversationId, turnId } }, signal),
    follow(id, { epoch, seq, bridgeId }, signal) {
      // A number means something only with the life of the turn that it counts in.
      const since = epoch === undefined || seq === undefined ? {} : { epoch, after: seq };
      return client.getLines(
        "/admin/api/ai/turns/{id}/events",
        { params: { id }, query: { ...since, bridgeId } },
        signal,
      );
    },
    abort: (id) => client.post("/admin/api/ai/turns/{id}/abort", { params: { id } }),
    turn: (id) => client.get("/admin/api/ai/turns/{id}", { params: { id } }),
    answer: (body) => client.post("/admin/api/ai/tool-result", { body }),
    accept: (id, accept) =>
      client.post("/admin/api/ai/turns/{id}/plan", { params: { id }, body: { accept: [...accept] } }),
    preview: (id, accept, pageId) =>
      client.post("/admin/api/ai/turns/{id}/plan/preview", { params: { id }, body: { accept: [...accept], pageId } }),
    conversations: async (scope) =>
      (await client.get("/admin/api/ai/conversations", { query: { scope } })).conversations,
    conversation: (id) => client.get("/admin/api/ai/conversations/{id}", { params: { id } }),
    begin: (scope, choice) => client.post("/admin/api/ai/conversations", { body: { scope, ...choice } }),
    choose: (id, body) => client.patch("/admin/api/ai/conversations/{id}", { params: { id }, body }),
    remove: (id) => client.delete("/admin/api/ai/conversations/{id}", { params: { id } }),
    async latest(after) {
      const { changes } = await client.get("/admin/api/site/changes", { query: { after } });
      return changes.at(-1)?.seq ?? after;
    },
    commands: async () => (await client.get("/admin/api/ai/commands")).groups,
  };
}
