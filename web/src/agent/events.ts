// The events of a turn, one per line. Their shapes are the server's; docs/agent.md explains each. A newer server may tell others, which
// change nothing here.
import type { TurnLine, TurnStatus } from "../generated/api";

export type {
  ApprovalRequest,
  Receipt,
  ResultCard,
  ShownBlock,
  SubmittedPlan,
  Touched,
  TurnOutcome,
  TurnStatus,
} from "../generated/api";

export type TurnEvent = TurnLine;
type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { type: Type }>;

export type ToolRequest = EventOf<"toolRequest">;
export type StateEvent = EventOf<"state">;
/** What the whole turn used. */
export type Usage = EventOf<"usage">;
/** What the turn may use, told at its beginning. */
export type BudgetBefore = Extract<EventOf<"budget">, { phase: unknown }>;
/** A limit that ended the turn. */
export type BudgetReached = Exclude<EventOf<"budget">, { phase: unknown }>;

/** Whether a turn in this state goes on by itself. */
export function isUnderWay(status: TurnStatus): boolean {
  return status === "running" || status === "waiting";
}
