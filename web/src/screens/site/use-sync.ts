// The one sync of the site screen: begun when the screen is there, ended with it.
import { useEffect, useState, useSyncExternalStore } from "react";
import { siteApi } from "../../app-state";
import type { FrameQuery, FrameReport } from "../../generated/site";
import { words } from "../../glossary";
import { loadCore } from "../../site/core-loader";
import { openSync } from "../../site/open-sync";
import { openOutbox } from "../../site/outbox";
import { createSync, type Sync, type SyncState } from "../../site/sync";
import { tabMemory } from "../../site/undo-stack";
import { pause } from "../../state/pause";

export function useSync(person: string): Sync | undefined {
  const [sync, setSync] = useState<Sync>();
  useEffect(() => {
    const begun: Sync = createSync({
      api: siteApi,
      loadCore,
      outbox: openOutbox(person),
      undoMemory: tabMemory(window.sessionStorage, person),
      author: { kind: "person", id: person },
      lookAt: (query) => lookAt(begun, query),
      pause,
    });
    setSync(begun);
    openSync.set(begun);
    void begun.start();
    return () => {
      begun.stop();
      if (openSync.get() === begun) openSync.set(undefined);
    };
  }, [person]);
  return sync;
}

/** A look at a page for the assistant, as a browser of a breakpoint's width shows it. */
async function lookAt(sync: Sync, query: FrameQuery): Promise<FrameReport> {
  const { capture } = await import("../../agent/capture");
  return capture(query, sync.render).catch(() => ({ type: "impossible", reason: words.site.noLook }));
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

/** Counts what looks different about the site itself and its pages: all but what stands on them. */
export function useShellVersion(sync: Sync): number {
  const [version, setVersion] = useState(0);
  useEffect(
    () =>
      sync.onTouched((touched) => {
        if (touched?.every(({ type }) => type === "node") !== true) setVersion((current) => current + 1);
      }),
    [sync],
  );
  return version;
}
