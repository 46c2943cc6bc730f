// The routes of tools as functions. They stand at the root, beside the administration, where agents look for them.
import type {
  Envelope,
  NewTool,
  RegisteredTool,
  Sources,
  Supposed,
  ToolCall,
  Tools,
  WouldDecide,
} from "../generated/api";
import type { Client } from "./client";

export type ToolsApi = ReturnType<typeof createToolsApi>;

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
