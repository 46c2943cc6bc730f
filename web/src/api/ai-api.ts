// The routes of providers, defaults, usage, budget and brief as functions. Conversations and turns are the agent panel's own.
import type { Brief, CredentialChange, DefaultChoice, NewCaps, NewCredential, Scope } from "../generated/api";
import type { Client } from "./client";

export type AiApi = ReturnType<typeof createAiApi>;

export function createAiApi(client: Client) {
  return {
    providers: () => client.get("/admin/api/ai/providers"),
    credentials: () => client.get("/admin/api/ai/credentials"),
    addCredential: (body: NewCredential) => client.post("/admin/api/ai/credentials", { body }),
    changeCredential: (id: string, body: CredentialChange) =>
      client.patch("/admin/api/ai/credentials/{id}", { params: { id }, body }),
    removeCredential: (id: string) => client.delete("/admin/api/ai/credentials/{id}", { params: { id } }),
    testCredential: (id: string) => client.post("/admin/api/ai/credentials/{id}/test", { params: { id } }),
    models: (id: string, credentialId: string) =>
      client.get("/admin/api/ai/providers/{id}/models", { params: { id }, query: { credentialId } }),
    defaults: () => client.get("/admin/api/ai/defaults"),
    setDefault: (scope: Scope, body: DefaultChoice) =>
      client.put("/admin/api/ai/defaults/{scope}", { params: { scope }, body }),
    clearDefault: (scope: Scope) => client.delete("/admin/api/ai/defaults/{scope}", { params: { scope } }),
    /** What was used since a moment, by days of a time zone. */
    audit: (since: Date, tz: string) =>
      client.get("/admin/api/ai/audit", { query: { since: since.toISOString(), tz } }),
    budget: () => client.get("/admin/api/ai/budget"),
    setBudget: (body: NewCaps) => client.put("/admin/api/ai/budget", { body }),
    brief: () => client.get("/admin/api/ai/brief"),
    setBrief: (body: Brief) => client.put("/admin/api/ai/brief", { body }),
  };
}
