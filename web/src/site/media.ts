// The pictures of the site: what there is, and adding one.
import type { Client } from "../api/client";

export interface MediaItem {
  id: string;
  name: string;
  alt: string;
  url: string;
  srcset: string;
  thumbnail: string;
  width: number;
  height: number;
}

export interface MediaPage {
  media: MediaItem[];
  /** What to send as `before` for older ones; absent at the end. */
  next?: string;
}

export interface MediaApi {
  list(query: { search?: string; before?: string }): Promise<MediaPage>;
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
