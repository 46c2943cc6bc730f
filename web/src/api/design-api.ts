// The routes of the design library as functions.
import type { DesignSection } from "../generated/api";
import type { Client } from "./client";

export type { DesignSection } from "../generated/api";

export interface DesignApi {
  /** The sections that can be inserted, family by family. They are part of the server and the same until it is replaced. */
  sections(): Promise<readonly DesignSection[]>;
}

export function createDesignApi(client: Client): DesignApi {
  let loading: Promise<readonly DesignSection[]> | undefined;
  return {
    sections() {
      loading ??= client.get("/admin/api/design/sections").then(
        ({ sections }) => sections,
        (error: unknown) => {
          // The next who asks tries again.
          loading = undefined;
          throw error;
        },
      );
      return loading;
    },
  };
}
