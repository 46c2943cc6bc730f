// Lets the assistant's tools run in the site that this tab has open, for as long as it is open.
import { useEffect, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { createExecutor } from "../../agent/executor";
import { asApiError } from "../../api/problem";
import { agent, agentApi, siteApi } from "../../app-state";
import { openSync } from "../../site/open-sync";
import { selection } from "../../site/selection";

export function useExecutor(): void {
  const sync = useSyncExternalStore(openSync.subscribe, openSync.get);
  const [, navigate] = useLocation();
  useEffect(() => {
    if (sync === undefined) return undefined;
    let leave: (() => void) | undefined;
    const begin = () => {
      if (leave !== undefined || sync.get().phase !== "ready") return;
      const executor = createExecutor({
        sync,
        selection: selection.get,
        latest: agentApi.latest,
        ownerOf: async (node) => {
          const owner = await siteApi.owner(node).catch((error: unknown) => {
            if (asApiError(error).code === "not_found") return undefined;
            throw error;
          });
          return owner?.id;
        },
        show: (document) => navigate(`/site/${document}`),
      });
      leave = agent.openSite(executor);
    };
    begin();
    const unsubscribe = sync.subscribe(begin);
    return () => {
      unsubscribe();
      leave?.();
    };
  }, [sync, navigate]);
}
