// The routes of publishing as functions: what would change, publishing, the releases there were.
import type { Publish, Published, ReleaseInfo, Releases, WouldChange } from "../generated/api";
import type { Client } from "./client";

export type PublishApi = ReturnType<typeof createPublishApi>;
export type { ChangeInfo, Published, ReleaseInfo, WouldChange } from "../generated/api";

export function createPublishApi(client: Client) {
  return {
    wouldChange: () => client.get<WouldChange>("/site/publish"),
    publish: (input: Publish) => client.send<Published>("POST", "/site/publish", input),
    releases: (limit: number, before?: number) =>
      client.get<Releases>(`/site/releases?limit=${limit}${before === undefined ? "" : `&before=${before}`}`),
    restore: ({ id }: ReleaseInfo) =>
      client.send<Published>("POST", `/site/releases/${encodeURIComponent(id)}/restore`, {}),
  };
}
