// The routes of the site's documents as functions.

import type { Client, Listening } from "../api/client";
import { asApiError } from "../api/problem";
import type { Accepted, DocumentDamage, FontFamily, NewFont, Present, Reverted } from "../generated/api";
import type { BodySnapshot, Change, Expect, Logged, Reference, RowQuery, ShellSnapshot } from "../generated/site";
import type { RevertTarget } from "./revert-id";

export interface SiteApi {
  shell(): Promise<{ seq: number; shell: ShellSnapshot; damage?: DocumentDamage | null }>;
  body(id: string): Promise<{ seq: number; body: BodySnapshot }>;
  /** The document that holds a node. */
  owner(node: string): Promise<{ id: string; seq: number; body: BodySnapshot }>;
  installFont(font: NewFont): Promise<FontFamily>;
  /** The rows of a list, as pages show them. */
  rows(query: RowQuery): Promise<unknown[]>;
  /** Where an entry or a file is; null when visitors do not see it. */
  address(target: Reference): Promise<string | null>;
  send(change: Change, expects: Expect[]): Promise<Accepted>;
  /** Takes changes back by a new change with this id. */
  revert(id: string, target: RevertTarget): Promise<Reverted>;
  follow(after: number, listening: Listening): AsyncGenerator<Logged>;
}

/** `onPresence` hears who is here, which comes in the same stream as the changes. */
export function createSiteApi(client: Client, onPresence: (present: Present) => void): SiteApi {
  return {
    async shell() {
      const { shell, ...rest } = await client.get("/admin/api/site/document");
      return { ...rest, shell: given(shell) };
    },
    async body(id) {
      const { body, seq } = await client.get("/admin/api/site/document", { query: { body: id } });
      return { seq, body: given(body) };
    },
    async owner(node) {
      const { id, body, seq } = await client.get("/admin/api/site/document", { query: { node } });
      return { id: given(id), seq, body: given(body) };
    },
    installFont: (body) => client.post("/admin/api/cms/fonts/install", { body }),
    async rows(rows) {
      const shown = await client.post("/admin/api/content/shown", { body: { rows } });
      return shown.rows ?? [];
    },
    async address(address) {
      const shown = await client.post("/admin/api/content/shown", { body: { address } });
      return shown.address ?? null;
    },
    send: ({ author: _, ...change }, expects) =>
      client.post("/admin/api/site/changes", { body: { ...change, expects } }),
    revert: (id, target) => client.post("/admin/api/site/reverts", { body: { id, ...target } }),
    async *follow(after, listening) {
      for await (const told of client.events("/admin/api/site/changes", { query: { after } }, listening)) {
        if (told.event === "change") yield told.data;
        if (told.event === "presence") onPresence(told.data);
      }
    },
  };
}

/** A part of the document that was asked for. Which parts there are depends on the question, which types do not tell. */
function given<T>(part: T | null | undefined): T {
  if (part === null || part === undefined)
    throw asApiError(new Error("the document lacks the part that was asked for"));
  return part;
}
