// The routes of the site's documents as functions.

import type { Client, Listening } from "../api/client";
import type { DocumentDamage, Present } from "../generated/api";
import type { Accepted, Change, Entity, Expect, Logged } from "./model";

export interface SiteApi {
  shell(): Promise<{ seq: number; shell: unknown; damage?: DocumentDamage }>;
  body(id: string): Promise<{ seq: number; body: unknown }>;
  /** The document that holds a node. */
  owner(node: string): Promise<{ id: string; seq: number; body: unknown }>;
  installFont(query: unknown): Promise<object>;
  send(change: Change, expects: Expect[]): Promise<Accepted>;
  revert(id: string, change: string): Promise<Accepted & { left: Entity[] }>;
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
