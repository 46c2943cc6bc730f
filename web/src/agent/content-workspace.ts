// What the content workspace tells the assistant with each message.
import type { OpenSite } from "./chat";

/** The entry that an address of the workspace shows. */
export function entryAt(location: string): string | undefined {
  return /^\/content\/entry\/([^/]+)/.exec(location)?.[1];
}

/** Content is with the server, which runs the tools: nothing has to be settled, and nothing is run here. */
export function contentWorkspace(entry: string | undefined): OpenSite {
  return {
    snapshot: () => ({ currentEntryId: entry ?? null }),
    settle: async () => undefined,
    run: async () => ({ result: { ok: false, error: "The content workspace runs no tools." } }),
  };
}
