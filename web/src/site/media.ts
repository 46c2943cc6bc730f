// The pictures of the site: finding, adding, describing and deleting them.
import type { Client } from "../api/client";
import type { MediaBin, MediaItem, MediaList, MediaPatch, MediaUse } from "../generated/api";

export interface MediaApi {
  list(query: { search?: string; before?: string }): Promise<MediaList>;
  upload(file: File): Promise<MediaItem>;
  /** A picture with the places that use it. */
  picture(id: string): Promise<MediaUse>;
  change(id: string, change: MediaPatch): Promise<MediaItem>;
  remove(id: string): Promise<unknown>;
  bin(): Promise<MediaBin>;
  restore(id: string): Promise<MediaItem>;
}

export function createMediaApi(client: Client): MediaApi {
  return {
    list: ({ search = "", before }) => client.get("/admin/api/media", { query: { search, before } }),
    upload: (file) => client.post("/admin/api/media", { query: { name: file.name }, body: file }),
    picture: (id) => client.get("/admin/api/media/{id}", { params: { id } }),
    change: (id, body) => client.patch("/admin/api/media/{id}", { params: { id }, body }),
    remove: (id) => client.delete("/admin/api/media/{id}", { params: { id } }),
    bin: () => client.get("/admin/api/media-bin"),
    restore: (id) => client.post("/admin/api/media-bin/{id}/restore", { params: { id }, body: {} }),
  };
}
