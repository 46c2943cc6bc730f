// Which turns of a conversation are taken back, here, in the history or by the assistant itself.
import { useEffect, useState, useSyncExternalStore } from "react";
import { may } from "../../access/permissions";
import { isUnderWay } from "../../agent/events";
import { revertedTurns } from "../../agent/reverted-turns";
import type { Turn } from "../../agent/transcript";
import { historyApi } from "../../app-state";
import { usePanel } from "../../hooks/use-agent";
import { useSession } from "../../hooks/use-session";
import { openSync } from "../../site/open-sync";

/** How far back in the history is looked. */
const CHANGES_MAX = 100;

export function useRevertedTurns(turns: readonly Turn[]): ReadonlySet<string> {
  const { changes } = usePanel();
  const { capabilities } = useSession();
  const mayRead = may(capabilities, { needs: "site.read" });
  const reverts = useReverts();
  const over = turns.filter(({ status }) => !isUnderWay(status)).length;
  const [reverted, setReverted] = useState<ReadonlySet<string>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them can mean another state of the history.
  useEffect(() => {
    if (over === 0 || !mayRead) return;
    let isCurrent = true;
    historyApi.list({ limit: CHANGES_MAX }).then(
      (history) => isCurrent && setReverted(revertedTurns(history.changes)),
      // Without the history every turn can still be reverted; the server says when nothing is left of it.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [over, changes, reverts, mayRead]);
  return reverted;
}

/** How often something was taken back in the open editor. */
function useReverts(): number {
  const sync = useSyncExternalStore(openSync.subscribe, openSync.get);
  return useSyncExternalStore(
    (listener) => sync?.subscribe(listener) ?? (() => undefined),
    () => sync?.get().reverts ?? 0,
  );
}
