// One-time links carry their secret behind the "#", which browsers do not send to any server.
import { useSyncExternalStore } from "react";

export function linkToken(hash: string): string | undefined {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("token");
  return token === null || token === "" ? undefined : token;
}

/** The token of the link in the address bar. Pasting a link into a tab that is already here changes only the hash and loads nothing. */
export function useLinkToken(): string | undefined {
  return useSyncExternalStore(subscribe, () => linkToken(window.location.hash));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}
