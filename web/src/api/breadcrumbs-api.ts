// The routes of records and workflows as functions. Records stand at the root, where agents look for them.
import type { Client, Listening } from "./client";

export type BreadcrumbsApi = ReturnType<typeof createBreadcrumbsApi>;

export interface RecordFilter {
  schema_name?: string;
  tag?: string;
}

export function createBreadcrumbsApi(client: Client) {
  return {
    list: (query: RecordFilter & { q?: string; after?: number; limit?: number }) =>
      client.get("/breadcrumbs", { query: { ...query, order: "desc" } }),
    history: (id: string) => client.get("/breadcrumbs/{id}/history", { params: { id } }),
    follow: (query: RecordFilter & { after: number }, listening: Listening) =>
      client.events("/breadcrumbs/stream", { query }, listening),
    workflows: (query: { limit: number }) => client.get("/admin/api/workflows", { query }),
    workflow: (id: string) => client.get("/admin/api/workflows/{id}", { params: { id } }),
  };
}
