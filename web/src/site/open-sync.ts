// The site that this tab has open in its editor, for the parts of the shell around it.
import { siteApi } from "../app-state";
import { createStore } from "../state/store";
import { loadCore } from "./core-loader";
import type { PageEntry } from "./model";
import { openCopy } from "./site-copy";
import type { Sync } from "./sync";

export const openSync = createStore<Sync | undefined>(undefined);

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
