// The routes of tools as functions. They stand at the root, beside the administration, where agents look for them.
import type { DocumentSource, NewDocument, NewTool, Supposed, ToolCall } from "../generated/api";
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

    documents: () => client.get("/admin/api/openapi"),
    document: (name: string) => client.get("/admin/api/openapi/{name}", { params: { name } }),
    checkDocument: (body: DocumentSource) => client.post("/admin/api/openapi/lint", { body }),
    addDocument: (body: NewDocument) => client.post("/admin/api/openapi", { body }),
    chooseOperations: (name: string, operations: string[]) =>
      client.post("/admin/api/openapi/{name}/operations", { params: { name }, body: { operations } }),
    reviewDocument: (name: string, accept: boolean) =>
      client.post("/admin/api/openapi/{name}", { params: { name }, body: { accept } }),
    removeDocument: (name: string) => client.delete("/admin/api/openapi/{name}", { params: { name } }),
    grants: () => client.get("/admin/api/personal-data"),
    grant: (tool: string) => client.post("/admin/api/personal-data", { body: { tool } }),
    revoke: (tool: string) => client.delete("/admin/api/personal-data/{tool}", { params: { tool } }),

    missions: (query: { limit?: number } = {}) => client.get("/admin/api/missions", { query }),
    mission: (id: string) => client.get("/admin/api/missions/{id}", { params: { id } }),
    resumeMission: (id: string) => client.post("/admin/api/missions/{id}/resume", { params: { id } }),
    stopMission: (id: string) => client.post("/admin/api/missions/{id}/stop", { params: { id } }),
    resolveLeg: (id: string, leg: string, note: string) =>
      client.post("/admin/api/missions/{id}/legs/{leg}/resolve", { params: { id, leg }, body: { note } }),
    cancelLeg: (id: string, leg: string) =>
      client.post("/admin/api/missions/{id}/legs/{leg}/cancel", { params: { id, leg } }),
  };
}
