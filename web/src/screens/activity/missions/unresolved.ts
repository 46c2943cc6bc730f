import type { MissionInfo } from "../../../generated/api";

/** Whether something of a mission could not be cancelled, and nobody has said that they took care of it. */
export function isUnresolved({ state, residuals }: Pick<MissionInfo, "state" | "residuals">): boolean {
  return state === "rolled_back_with_residuals" && residuals.some(({ resolved }) => !resolved);
}
