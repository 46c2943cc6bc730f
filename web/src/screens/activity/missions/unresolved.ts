import type { MissionInfo } from "../../../generated/api";

/**
 * Whether something of a mission that is over could not be cancelled, and nobody has said that they took care of it. A completed one
 * can have that, too: its legs can be cancelled later.
 */
export function isUnresolved({ state, residuals }: Pick<MissionInfo, "state" | "residuals">): boolean {
  const isOver = state !== "running" && state !== "rolling_back";
  return isOver && residuals.some(({ resolved }) => !resolved);
}
