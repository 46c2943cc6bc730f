// The tokens of the site as they can be edited. Which there are is the server's to say; what each holds comes from the copy, so that
// a change shows before it is saved.
import { useCallback, useEffect } from "react";
import { siteApi } from "../../../app-state";
import { type Resource, useResource } from "../../../hooks/use-resource";
import type { Entity } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import { useSyncState, useVersion } from "../use-sync";

export type TokenList = "colors" | "fonts" | "typeScales" | "spacingScales" | "families";
export type ItemIds = Record<TokenList, readonly string[]>;

export function useItems(sync: Sync): Resource<ItemIds>["state"] {
  const load = useCallback(async (): Promise<ItemIds> => {
    const { shell } = await siteApi.shell();
    const lists = shell.shell.items?.lists;
    const ids = (list: TokenList) => (lists?.[list] ?? []).map(([id]) => id);
    return {
      colors: ids("colors"),
      fonts: ids("fonts"),
      typeScales: ids("typeScales"),
      spacingScales: ids("spacingScales"),
      families: ids("families"),
    };
  }, []);
  const { state, reload } = useResource(load);
  const { waiting } = useSyncState(sync);
  const version = useVersion(sync);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a saved change is what asks again.
  useEffect(() => {
    if (waiting === 0) reload();
  }, [waiting, version, reload]);
  return state;
}

export function itemEntity(list: TokenList, id: string): Entity {
  return { type: "item", list, id };
}
