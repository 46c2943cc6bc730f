import { expect, test } from "vitest";
import { ApiError } from "../api/problem";
import type { Session } from "../generated/api";
import { createSessionStore } from "./session";

const NOBODY: Session = { setupRequired: false, signedIn: false, sites: [], capabilities: [], version: "0.1.0" };
const ANA: Session = {
  ...NOBODY,
  signedIn: true,
  user: { id: "u1", email: "ana@example.com", name: "Ana" },
  role: "owner",
  capabilities: ["users.manage"],
  csrfToken: "csrf-1",
};
const refused = new ApiError({ status: 401, code: "unauthenticated", detail: "The cookie was not kept.", errors: {} });

/** A server whose answers a test sets as the story goes on. */
function story(first: Session) {
  const server = { session: async () => first, keepsCookie: true, signedIn: ANA };
  const answer = async () => ANA;
  const store = createSessionStore({
    session: () => server.session(),
    confirmSignedIn: async () => {
      if (!server.keepsCookie) throw refused;
      return ANA;
    },
    signIn: async () => server.signedIn,
    giveCode: answer,
    signInWithPasskey: answer,
    setUp: answer,
    redeemPasswordLink: answer,
    signOut: async () => {
      server.session = async () => NOBODY;
    },
  });
  return { server, store };
}

test("loading ends in a session", async () => {
  const { store } = story(ANA);
  expect(store.get()).toEqual({ phase: "loading" });
  await store.load();
  expect(store.get()).toEqual({ phase: "ready", session: ANA, ended: "never" });
  expect(store.csrfToken()).toBe("csrf-1");
});

test("a failed load is a state, and loading again recovers", async () => {
  const { server, store } = story(ANA);
  const error = new ApiError({ status: 0, code: "unreachable", detail: "No answer.", errors: {} });
  server.session = () => Promise.reject(error);
  await store.load();
  expect(store.get()).toEqual({ phase: "failed", error });
  server.session = async () => ANA;
  await store.load();
  expect(store.get().phase).toBe("ready");
});

test("signing in counts only after the browser has shown the cookie", async () => {
  const { server, store } = story(NOBODY);
  await store.load();
  server.keepsCookie = false;
  await expect(store.signIn({ email: "ana@example.com", password: "x" })).rejects.toBe(refused);
  expect(store.get()).toEqual({ phase: "ready", session: NOBODY, ended: "never" });
  server.keepsCookie = true;
  await store.signIn({ email: "ana@example.com", password: "x" });
  expect(store.get()).toEqual({ phase: "ready", session: ANA, ended: "never" });
});

test("a second step leaves nobody signed in until its code was given", async () => {
  const { server, store } = story(NOBODY);
  await store.load();
  server.signedIn = { ...NOBODY, secondStep: { ticket: "t1" } };
  expect(await store.signIn({ email: "ana@example.com", password: "x" })).toBe("t1");
  expect(store.get()).toEqual({ phase: "ready", session: NOBODY, ended: "never" });
  await store.giveCode({ ticket: "t1", code: "123456" });
  expect(store.get()).toEqual({ phase: "ready", session: ANA, ended: "never" });
});

test("signing out forgets the person and the token", async () => {
  const { store } = story(ANA);
  await store.load();
  await store.signOut();
  expect(store.get()).toEqual({ phase: "ready", session: NOBODY, ended: "signed-out" });
  expect(store.csrfToken()).toBeUndefined();
});

test("a refused request ends the session only when the server agrees", async () => {
  const { server, store } = story(ANA);
  await store.load();
  await store.recheck();
  expect(store.get()).toEqual({ phase: "ready", session: ANA, ended: "never" });
  server.session = async () => NOBODY;
  await store.recheck();
  expect(store.get()).toEqual({ phase: "ready", session: NOBODY, ended: "expired" });
});

test("a recheck without an answer keeps the session", async () => {
  const { server, store } = story(ANA);
  await store.load();
  server.session = () => Promise.reject(refused);
  await store.recheck();
  expect(store.get()).toEqual({ phase: "ready", session: ANA, ended: "never" });
});
