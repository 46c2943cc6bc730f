// Who is signed in. The only place that knows how a session begins, ends and is found out to have ended.
import type { Api } from "../api/api";
import { type ApiError, asApiError } from "../api/problem";
import type { PasskeyProof, RedeemPasswordLink, SecondStepCode, Session, Setup, SignIn } from "../generated/api";
import { createStore, type Store } from "./store";

export type SessionState =
  | { phase: "loading" }
  | { phase: "failed"; error: ApiError }
  | { phase: "ready"; session: Session; ended: Ended };

/** How the last session of this tab ended, which decides what the sign-in page says. */
export type Ended = "never" | "expired" | "signed-out";

type SessionApi = Pick<
  Api,
  | "session"
  | "confirmSignedIn"
  | "signIn"
  | "giveCode"
  | "signInWithPasskey"
  | "signOut"
  | "setUp"
  | "redeemPasswordLink"
>;

/** The ticket of a sign-in that also needs a code; none when the person is signed in. */
export type Begun = string | undefined;

export interface SessionStore extends Pick<Store<SessionState>, "get" | "subscribe"> {
  /** Asks the server afresh. Never throws: a failure is a state with a way to try again. */
  load(): Promise<void>;
  signIn(input: SignIn): Promise<Begun>;
  giveCode(input: SecondStepCode): Promise<void>;
  signInWithPasskey(input: PasskeyProof): Promise<void>;
  setUp(input: Setup): Promise<void>;
  join(input: RedeemPasswordLink): Promise<Begun>;
  signOut(): Promise<void>;
  /** The server has ended the session of this tab; shows the sign-in page. */
  leave(): Promise<void>;
  /** Shows a changed name without asking the server. */
  rename(name: string): void;
  /** Shows another name of the site without asking the server. */
  renameSite(name: string): void;
  /** Looks whether the session is still alive after a request was refused for lack of one. */
  recheck(): Promise<void>;
  csrfToken(): string | undefined;
}

export function createSessionStore(api: SessionApi): SessionStore {
  const store = createStore<SessionState>({ phase: "loading" });
  const signedIn = (): Session | undefined => {
    const state = store.get();
    return state.phase === "ready" && state.session.signedIn ? state.session : undefined;
  };

  async function load(): Promise<void> {
    store.set({ phase: "loading" });
    try {
      store.set({ phase: "ready", session: await api.session(), ended: "never" });
    } catch (error) {
      store.set({ phase: "failed", error: asApiError(error) });
    }
  }

  async function begin(start: Promise<Session>): Promise<Begun> {
    const { secondStep } = await start;
    if (secondStep) return secondStep.ticket;
    // A browser that drops the cookie would bounce between sign-in and the app without a word; ask before showing either.
    store.set({ phase: "ready", session: await api.confirmSignedIn(), ended: "never" });
    return undefined;
  }

  async function leave(): Promise<void> {
    store.set({ phase: "ready", session: await api.session(), ended: "signed-out" });
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    load,
    signIn: (input) => begin(api.signIn(input)),
    giveCode: (input) => begin(api.giveCode(input)).then(() => undefined),
    signInWithPasskey: (input) => begin(api.signInWithPasskey(input)).then(() => undefined),
    setUp: (input) => begin(api.setUp(input)).then(() => undefined),
    join: (input) => begin(api.redeemPasswordLink(input)),
    async signOut() {
      await api.signOut();
      await leave();
    },
    leave,
    rename(name) {
      const session = signedIn();
      if (session?.user)
        store.set({ phase: "ready", session: { ...session, user: { ...session.user, name } }, ended: "never" });
    },
    renameSite(name) {
      const session = signedIn();
      if (session?.site)
        store.set({ phase: "ready", session: { ...session, site: { ...session.site, name } }, ended: "never" });
    },
    async recheck() {
      if (signedIn() === undefined) return;
      try {
        const session = await api.session();
        if (!session.signedIn) store.set({ phase: "ready", session, ended: "expired" });
      } catch {
        // The request that led here reports its own failure; the session stays as it was until the server answers.
      }
    },
    csrfToken: () => signedIn()?.csrfToken ?? undefined,
  };
}
