// The routes of tools as functions. They stand at the root, beside the administration, where agents look for them.
import type { NewTool, Supposed, ToolCall } from "../generated/api";
import type { Client } from "./client";

export type ToolsApi = ReturnType<typeof createToolsApi>;

export function createToolsApi(client: Client) {
  return {
    decision: (body: Supposed) => client.post("/admin/api/policy/decision", { body }),
    tools: () => client.get("/tools"),
    call: (body: ToolCall) => client.post("/tools/call", { body }),
    sources: () => client.get("/tools/sources"),
    register: (body: NewTool) => client.post("/tools/register", { body }),
    remove: (name: string) => client.delete("/tools/{name}", { params: { name } }),
  };
}
