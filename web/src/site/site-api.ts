// The routes of the site's documents as functions.

import type { Client, Listening } from "../api/client";
import type { Accepted, DocumentDamage, FontFamily, NewFont, Present, Reverted } from "../generated/api";
import type { BodySnapshot, Change, Expect, Logged, ShellSnapshot } from "../generated/site";

export interface SiteApi {
  shell(): Promise<{ seq: number; shell: ShellSnapshot; damage?: DocumentDamage | null }>;
  body(id: string): Promise<{ seq: number; body: BodySnapshot }>;
  /** The document that holds a node. */
  owner(node: string): Promise<{ id: string; seq: number; body: BodySnapshot }>;
  installFont(font: NewFont): Promise<FontFamily>;
  send(change: Change, expects: Expect[]): Promise<Accepted>;
  revert(id: string, change: string): Promise<Reverted>;
  follow(after: number, listening: Listening): AsyncGenerator<Logged>;
}

/** `onPresence` hears who is here, which comes in the same stream as the changes. */
export function createSiteApi(client: Client, onPresence: (present: Present) => void): SiteApi {
  return {
    shell: () => client.get("/site/document"),
    body: (id) => client.get(`/site/document?body=${encodeURIComponent(id)}`),
    owner: (node) => client.get(`/site/document?node=${encodeURIComponent(node)}`),
    installFont: (query) => client.send("POST", "/cms/fonts/install", query),
    send: ({ author: _, ...change }, expects) => client.send("POST", "/site/changes", { ...change, expects }),
    revert: (id, change) => client.send("POST", "/site/reverts", { id, change }),
    async *follow(after, listening) {
      for await (const { event, data } of client.events(`/site/changes?after=${after}`, listening)) {
        if (event === "change") yield JSON.parse(data) as Logged;
        if (event === "presence") onPresence(JSON.parse(data) as Present);
      }
    },
  };
}
