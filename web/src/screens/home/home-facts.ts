// What Home tells, asked for at once, so that nothing moves while it arrives. What somebody may not see is not asked for.
import { aiApi, api, historyApi, publishApi, toolsApi } from "../../app-state";
import type { Budget, HistoryItem, ReleaseInfo, UsageTotals } from "../../generated/api";
import { isUnresolved } from "../activity/missions/unresolved";

export interface HomeFacts {
  /** What visitors see; null when nothing is published, absent for those who may not know. */
  release?: ReleaseInfo | null;
  changes?: readonly HistoryItem[];
  budget?: Budget;
  /** What everybody used this month. */
  usage?: UsageTotals;
  hasProvider?: boolean;
  people?: number;
  unknownCalls: number;
  /** Missions that left something which nobody has taken care of. */
  unresolvedMissions: number;
}

/** The facts of the checklist look further back than what is listed. */
const CHANGES_ASKED = 100;

export async function loadHome(capabilities: readonly string[]): Promise<HomeFacts> {
  const when = <T>(capability: string, ask: () => Promise<T>): Promise<T | undefined> =>
    capabilities.includes(capability) ? ask() : Promise.resolve(undefined);
  const [releases, history, budget, credentials, usage, users, unknown, missions] = await Promise.all([
    when("site.read", () => publishApi.releases(20)),
    when("site.read", () => historyApi.list({ limit: CHANGES_ASKED })),
    when("ai.chat", aiApi.budget),
    when("ai.chat", aiApi.credentials),
    when("ai.audit.read", () => aiApi.audit(monthStart(new Date()), timeZone())),
    when("users.manage", api.users),
    when("tools.read", () => api.calls({ state: "unknown", limit: 200 })),
    when("tools.read", () => toolsApi.missions()),
  ]);
  return {
    release: releases && (releases.releases.find(({ isCurrent }) => isCurrent) ?? null),
    changes: history?.changes,
    budget,
    usage: usage?.totals,
    hasProvider: credentials && credentials.credentials.length > 0,
    people: users?.users.length,
    unknownCalls: unknown?.calls.length ?? 0,
    unresolvedMissions: missions?.missions.filter(isUnresolved).length ?? 0,
  };
}

/** Budgets count months of UTC. */
export function monthStart(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
}

function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
