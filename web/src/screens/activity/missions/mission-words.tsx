import type { MissionInfo, MissionLeg } from "../../../generated/api";
import { words } from "../../../glossary";
import { Badge } from "../../../parts/badge/Badge";

type Tone = "accent" | "plain" | "caution" | "danger";

const MISSION_TONES: Readonly<Record<string, Tone>> = {
  completed: "accent",
  rolling_back: "caution",
  rolled_back_with_residuals: "danger",
};

const LEG_TONES: Readonly<Record<string, Tone>> = {
  committed: "accent",
  failed: "danger",
  unknown: "caution",
  rollback_pending: "caution",
  rollback_failed: "danger",
  manual_review: "danger",
};

/** Whether more will come of it by itself, or when somebody approves a leg. */
export function isUnderWay({ state, legs }: MissionInfo): boolean {
  return state === "running" || state === "rolling_back" || legs.some((leg) => leg.state === "rollback_pending");
}

export function MissionBadge({ mission }: { mission: MissionInfo }) {
  const { state } = mission;
  return <Badge tone={MISSION_TONES[state] ?? "plain"}>{words.missions.states[state] ?? state}</Badge>;
}

export function LegBadge({ leg }: { leg: MissionLeg }) {
  if (leg.approval) return <Badge tone="caution">{words.missions.waits}</Badge>;
  return <Badge tone={LEG_TONES[leg.state] ?? "plain"}>{words.missions.legStates[leg.state] ?? leg.state}</Badge>;
}
