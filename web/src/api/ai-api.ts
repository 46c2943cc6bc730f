// The routes of providers, defaults, usage, budget and brief as functions. Conversations and turns are the agent panel's own.
import type {
  AiAudit,
  Brief,
  Budget,
  CredentialChange,
  CredentialInfo,
  Credentials,
  DefaultChoice,
  Defaults,
  NewCaps,
  NewCredential,
  Offer,
  Providers,
  Scope,
  ScopeDefault,
  Tested,
} from "../generated/api";
import type { Client } from "./client";

export type AiApi = ReturnType<typeof createAiApi>;

export function createAiApi(client: Client) {
  const one = (id: string) => `/ai/credentials/${encodeURIComponent(id)}`;
  return {
    providers: () => client.get<Providers>("/ai/providers"),
    credentials: () => client.get<Credentials>("/ai/credentials"),
    addCredential: (input: NewCredential) => client.send<CredentialInfo>("POST", "/ai/credentials", input),
    changeCredential: (id: string, input: CredentialChange) => client.send<CredentialInfo>("PATCH", one(id), input),
    removeCredential: (id: string) => client.send<void>("DELETE", one(id)),
    testCredential: (id: string) => client.send<Tested>("POST", `${one(id)}/test`),
    models: (providerId: string, credentialId: string) =>
      client.get<Offer>(
        `/ai/providers/${encodeURIComponent(providerId)}/models?credentialId=${encodeURIComponent(credentialId)}`,
      ),
    defaults: () => client.get<Defaults>("/ai/defaults"),
    setDefault: (scope: Scope, input: DefaultChoice) =>
      client.send<ScopeDefault>("PUT", `/ai/defaults/${scope}`, input),
    clearDefault: (scope: Scope) => client.send<void>("DELETE", `/ai/defaults/${scope}`),
    /** What was used since a moment, by days of a time zone. */
    audit: (since: Date, timeZone: string) =>
      client.get<AiAudit>(
        `/ai/audit?since=${encodeURIComponent(since.toISOString())}&tz=${encodeURIComponent(timeZone)}`,
      ),
    budget: () => client.get<Budget>("/ai/budget"),
    setBudget: (input: NewCaps) => client.send<Budget>("PUT", "/ai/budget", input),
    brief: () => client.get<Brief>("/ai/brief"),
    setBrief: (input: Brief) => client.send<Brief>("PUT", "/ai/brief", input),
  };
}
