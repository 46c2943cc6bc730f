// The pictures of the site: what there is, and adding one.
import type { Client } from "../api/client";
import type { MediaItem, MediaList } from "../generated/api";

export interface MediaApi {
  list(query: { search?: string; before?: string }): Promise<MediaList>;
  upload(file: File): Promise<MediaItem>;
}

export function createMediaApi(client: Client): MediaApi {
  return {
    list({ search = "", before }) {
      const query = new URLSearchParams({ search, ...(before === undefined ? {} : { before }) });
      return client.get(`/media?${query}`);
    },
    upload: (file) => client.upload(`/media?${new URLSearchParams({ name: file.name })}`, file),
  };
}
