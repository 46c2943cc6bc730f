import { useSyncExternalStore } from "react";
import { session } from "../app-state";
import type { Session } from "../generated/api";
import type { SessionState } from "../state/session";

export function useSessionState(): SessionState {
  return useSyncExternalStore(session.subscribe, session.get);
}

/** The session on screens that are only shown to a signed-in person. */
export function useSession(): Session {
  const state = useSessionState();
  if (state.phase !== "ready") throw new Error("this screen is shown before the session is known");
  return state.session;
}
