// The one sync of the site screen: begun when the screen is there, ended with it.
import { useEffect, useState, useSyncExternalStore } from "react";
import { siteApi } from "../../app-state";
import { loadCore } from "../../core-loader";
import { words } from "../../glossary";
import { openOutbox } from "../../site/outbox";
import { createSync, type Sync, type SyncState } from "../../site/sync";

export function useSync(person: string): Sync | undefined {
  const [sync, setSync] = useState<Sync>();
  useEffect(() => {
    const begun = createSync({
      api: siteApi,
      loadCore,
      outbox: openOutbox(person),
      author: { kind: "person", id: person },
      lookAt: async () => ({ type: "impossible", reason: words.site.noLook }),
      pause,
    });
    setSync(begun);
    void begun.start();
    return () => begun.stop();
  }, [person]);
  return sync;
}

export function useSyncState(sync: Sync): SyncState {
  return useSyncExternalStore(sync.subscribe, sync.get);
}

/** Counts what looks different, so that whoever shows the copy looks again. */
export function useVersion(sync: Sync): number {
  const [version, setVersion] = useState(0);
  useEffect(() => sync.onTouched(() => setVersion((current) => current + 1)), [sync]);
  return version;
}

/** Waits, but not longer than until the browser says that the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
