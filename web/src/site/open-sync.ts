// The site that this tab has open in its editor, for the parts of the shell around it.
import { historyApi, siteApi } from "../app-state";
import type { Reverted } from "../generated/api";
import { createStore } from "../state/store";
import { loadCore } from "./core-loader";
import type { PageEntry } from "./model";
import type { RevertTarget } from "./revert-id";
import { openCopy } from "./site-copy";
import type { Sync } from "./sync";

export const openSync = createStore<Sync | undefined>(undefined);

/** Takes changes back, through the open editor where there is one, so that its Undo knows of it. */
export function revertChanges(target: RevertTarget): Promise<Reverted> {
  const sync = openSync.get();
  return sync?.get().phase === "ready" ? sync.revert(target) : historyApi.revert(target);
}

/** The pages there are, from the open site or else from the server. */
export async function pagesOfSite(): Promise<PageEntry[]> {
  const sync = openSync.get();
  if (sync?.get().phase === "ready") return sync.copy().pages();
  const [core, { shell, seq }] = await Promise.all([loadCore(), siteApi.shell()]);
  const copy = openCopy(core, shell, seq);
  try {
    return copy.pages();
  } finally {
    copy.free();
  }
}
