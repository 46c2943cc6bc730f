// The editor core is WebAssembly and large, so it is fetched only by what needs it, and once.
import type { SiteCore } from "../core/core.js";

export interface Core {
  version: string;
  SiteCore: typeof SiteCore;
}

let loading: Promise<Core> | undefined;

/** Loads the core; after a failure the next call tries again. */
export function loadCore(): Promise<Core> {
  loading ??= start().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function start(): Promise<Core> {
  const core = await import("../core/core.js");
  await core.default();
  const answer: unknown = JSON.parse(core.coreVersion());
  if (typeof answer === "object" && answer !== null && "version" in answer && typeof answer.version === "string") {
    return { version: answer.version, SiteCore: core.SiteCore };
  }
  throw new Error("the editor core answered without a version");
}
