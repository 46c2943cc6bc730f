// The routes of content as functions. Entries and menu items come from tools, whose answers the server's document leaves open; their
// shapes are written here.
import type { CollectionPatch, FieldKind, NewCollection, NewNavigation } from "../generated/api";
import type { Client } from "./client";

export type ContentApi = ReturnType<typeof createContentApi>;

export type EntryStatus = "draft" | "published" | "archived";

export interface Entry {
  id: string;
  collectionId: string;
  collectionSlug: string;
  slug: string;
  title: string;
  status: EntryStatus;
  permalink?: string;
  /** Its language, when it is not the site's own. */
  locale?: string;
  translationOf?: string;
  /** Whether what it translates has changed since. */
  sourceChanged?: boolean;
  translations?: readonly Translation[];
  publishAt?: string;
  unpublishAt?: string;
  updatedAt?: string;
  version: number;
  content?: Readonly<Record<string, unknown>>;
}

export interface Translation {
  id: string;
  locale: string;
  title: string;
  status: EntryStatus;
  sourceChanged: boolean;
}

export interface EntryList {
  items: readonly Entry[];
  total: number;
  next?: string;
}

export interface ContentField {
  id?: string;
  name: string;
  label?: string;
  kind: FieldKind;
  required?: boolean;
}

export interface MenuItem {
  id: string;
  label: string;
  parentId?: string;
  targetType: "page" | "entry" | "media" | "url" | "placeholder";
  targetId?: string;
  url?: string;
  href?: string;
  visible: boolean;
}

/** What of an entry is to be different. */
export type EntryChange = Readonly<Record<string, unknown>>;

export function createContentApi(client: Client) {
  return {
    setup: () => client.get("/admin/api/content/collections"),
    createCollection: (body: NewCollection) => client.post("/admin/api/content/collections", { body }),
    changeCollection: (id: string, body: CollectionPatch) =>
      client.patch("/admin/api/content/collections/{id}", { params: { id }, body }),
    deleteCollection: (id: string) => client.delete("/admin/api/content/collections/{id}", { params: { id } }),

    entries: async (collection: string, cursor?: string): Promise<EntryList> => {
      const answer = await client.get("/admin/api/content/entries", { query: { collection, cursor } });
      return answer as unknown as EntryList;
    },
    entry: async (id: string): Promise<Entry> => {
      const answer = await client.get("/admin/api/content/entries/{id}", { params: { id } });
      return answer as unknown as Entry;
    },
    createEntry: (body: EntryChange) => client.post("/admin/api/content/entries", { body }),
    changeEntry: (id: string, body: EntryChange) =>
      client.patch("/admin/api/content/entries/{id}", { params: { id }, body }),
    deleteEntry: (id: string) => client.delete("/admin/api/content/entries/{id}", { params: { id } }),
    publishEntry: (id: string) => client.post("/admin/api/content/entries/{id}/publish", { params: { id }, body: {} }),
    versions: (id: string) => client.get("/admin/api/content/entries/{id}/versions", { params: { id } }),
    version: (id: string, version: string) =>
      client.get("/admin/api/content/entries/{id}/versions/{version}", { params: { id, version } }),
    restoreVersion: (id: string, version: string) =>
      client.post("/admin/api/content/entries/{id}/versions/{version}/restore", { params: { id, version }, body: {} }),

    createMenu: (body: NewNavigation) => client.post("/admin/api/content/navigations", { body }),
    deleteMenu: (id: string) => client.delete("/admin/api/content/navigations/{id}", { params: { id } }),
    menuItems: async (id: string): Promise<readonly MenuItem[]> => {
      const answer = await client.get("/admin/api/content/navigations/{id}/items", { params: { id } });
      return (answer as unknown as { items: readonly MenuItem[] }).items;
    },
    createMenuItem: (id: string, body: EntryChange) =>
      client.post("/admin/api/content/navigations/{id}/items", { params: { id }, body }),
    changeMenuItem: (id: string, body: EntryChange) =>
      client.patch("/admin/api/content/items/{id}", { params: { id }, body }),
    deleteMenuItem: (id: string) => client.delete("/admin/api/content/items/{id}", { params: { id } }),

    bin: () => client.get("/admin/api/content/bin"),
    restoreEntry: (id: string) => client.post("/admin/api/content/bin/{id}/restore", { params: { id }, body: {} }),
  };
}
