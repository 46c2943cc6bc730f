// The routes of tools as functions. They stand at the root, beside the administration, where agents look for them.
import type { Envelope, NewTool, RegisteredTool, Scope, Sources, ToolCall, Tools } from "../generated/api";
import type { Client } from "./client";

export type ToolsApi = ReturnType<typeof createToolsApi>;

/** A call to be judged without being made. */
export interface Supposed {
  tool: string;
  scope?: Scope;
  arguments?: Record<string, unknown>;
  as: "me" | "agent";
}

export interface WouldDecide {
  decision: "allow" | "ask" | "deny";
  why: string;
  /** The permission that is missing, when that is why. */
  capability?: string | null;
}

export function createToolsApi(client: Client) {
  return {
    decision: (input: Supposed) => client.send<WouldDecide>("POST", "/admin/api/policy/decision", input),
    tools: () => client.get<Tools>("/tools"),
    call: (input: ToolCall) => client.send<Envelope>("POST", "/tools/call", input),
    sources: () => client.get<Sources>("/tools/sources"),
    register: (input: NewTool) => client.send<RegisteredTool>("POST", "/tools/register", input),
    remove: (name: string) => client.send<void>("DELETE", `/tools/${encodeURIComponent(name)}`),
  };
}
