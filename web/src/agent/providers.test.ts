import { expect, test } from "vitest";
import type { CredentialInfo } from "../generated/api";
import { createProviders, lockReason, modelOf, OFFLINE, type ProvidersApi } from "./providers";

const MAIN = { id: "c1", providerId: "anthropic", label: "Main" } as CredentialInfo;
const OPUS = { credentialId: "c1", modelId: "opus" };

function setUp(usesBuiltIn = false) {
  const server = { credentials: [] as CredentialInfo[], hasDefault: false };
  const api: ProvidersApi = {
    credentials: async () => ({ credentials: server.credentials }),
    defaults: async () => ({ defaults: server.hasDefault ? [{ scope: "site", ...OPUS }] : [] }),
    models: async () => ({ models: [{ id: "opus", name: "Opus", contextWindow: 1000 }], live: true }) as never,
  };
  return { server, providers: createProviders(api, "site", () => usesBuiltIn) };
}

test("nothing is locked while credentials load; then a provider is missing, or a model", async () => {
  const { server, providers } = setUp();
  expect(lockReason(providers.get())).toBeNull();
  await providers.refresh();
  expect(lockReason(providers.get())).toBe("setup");
  server.credentials = [MAIN];
  await providers.refresh();
  expect(lockReason(providers.get())).toBe("chooseModel");
  providers.pick(OPUS);
  expect(lockReason(providers.get())).toBeNull();
});

test("the scope's default is there at once, with what is known of its model", async () => {
  const { server, providers } = setUp();
  Object.assign(server, { credentials: [MAIN], hasDefault: true });
  await providers.refresh();
  expect([lockReason(providers.get()), modelOf(providers.get())?.contextWindow]).toEqual([null, 1000]);
});

test("a default changes nothing about what somebody picked", async () => {
  const { server, providers } = setUp();
  Object.assign(server, { credentials: [MAIN], hasDefault: true });
  providers.pick({ credentialId: "c1", modelId: "haiku" });
  await providers.refresh();
  expect(providers.get().choice?.modelId).toBe("haiku");
});

test("a default changes nothing about the conversation that is open, whichever comes first", async () => {
  const haiku = { credentialId: "c1", modelId: "haiku" };
  for (const order of ["conversation first", "default first", "while the default is on its way"]) {
    const { server, providers } = setUp();
    Object.assign(server, { credentials: [MAIN], hasDefault: true });
    if (order === "default first") await providers.refresh();
    const loading = order === "while the default is on its way" ? providers.refresh() : undefined;
    providers.adopt(haiku);
    await loading;
    await providers.refresh();
    expect([order, providers.get().choice]).toEqual([order, haiku]);
  }
});

test("a default is used again once no conversation is open", async () => {
  const { server, providers } = setUp();
  Object.assign(server, { credentials: [MAIN], hasDefault: true });
  providers.adopt({ credentialId: "c1", modelId: "haiku" });
  await providers.refresh();
  providers.adopt(null);
  await providers.refresh();
  expect(providers.get().choice).toEqual(OPUS);
});

test("the first credential takes over from the built-in commands, and says so until somebody has noted it", async () => {
  const { server, providers } = setUp();
  await providers.refresh();
  providers.pick(OFFLINE);
  expect(lockReason(providers.get())).toBeNull();
  Object.assign(server, { credentials: [MAIN], hasDefault: true });
  await providers.refresh();
  expect(providers.get()).toMatchObject({ choice: OPUS, arrived: OPUS });
  providers.noted();
  await providers.refresh();
  expect(providers.get().arrived).toBeUndefined();
});

test("whoever went without a provider does so again, until there is one", async () => {
  const { server, providers } = setUp(true);
  await providers.refresh();
  expect(providers.get().choice).toEqual(OFFLINE);
  Object.assign(server, { credentials: [MAIN] });
  await providers.refresh();
  expect(lockReason(providers.get())).toBe("chooseModel");
});

test("a conversation whose credential is gone needs another one", async () => {
  const { server, providers } = setUp();
  server.credentials = [MAIN];
  providers.adopt({ credentialId: "gone", modelId: "opus" });
  await providers.refresh();
  expect(lockReason(providers.get())).toBe("chooseModel");
});
