// The pictures of the site: what there is, and adding one.
import type { Client } from "../api/client";
import type { MediaItem, MediaList } from "../generated/api";

export interface MediaApi {
  list(query: { search?: string; before?: string }): Promise<MediaList>;
  upload(file: File): Promise<MediaItem>;
}

export function createMediaApi(client: Client): MediaApi {
  return {
    list: ({ search = "", before }) => client.get("/admin/api/media", { query: { search, before } }),
    upload: (file) => client.post("/admin/api/media", { query: { name: file.name }, body: file }),
  };
}
