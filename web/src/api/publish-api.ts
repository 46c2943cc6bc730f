// The routes of publishing as functions: what would change, publishing, the releases there were.
import type { Publish, ReleaseInfo } from "../generated/api";
import type { Client } from "./client";

export type PublishApi = ReturnType<typeof createPublishApi>;
export type { ChangeInfo, Published, ReleaseInfo, WouldChange } from "../generated/api";

export function createPublishApi(client: Client) {
  return {
    wouldChange: () => client.get("/admin/api/site/publish"),
    publish: (body: Publish) => client.post("/admin/api/site/publish", { body }),
    releases: (limit: number, before?: number) => client.get("/admin/api/site/releases", { query: { limit, before } }),
    restore: ({ id }: ReleaseInfo) =>
      client.post("/admin/api/site/releases/{id}/restore", { params: { id }, body: {} }),
  };
}
