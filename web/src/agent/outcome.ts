// How a turn ended, as its row says. The server's document leaves its shape open, so each part is looked at before it is used.
import { readField } from "../api/read-field";
import type { SubmittedPlan } from "./events";

export interface Outcome {
  provider?: string;
  costUsd?: number;
  error?: string;
  limit?: { limit: string; max: number };
  plan?: SubmittedPlan;
}

export function outcomeOf(value: unknown): Outcome {
  const [limit, plan] = [readField(value, "limit"), readField(value, "plan")];
  const [kind, max, baseSeq] = [textIn(limit, "limit"), numberIn(limit, "max"), numberIn(plan, "baseSeq")];
  return {
    provider: textIn(value, "provider"),
    costUsd: numberIn(value, "costUsd"),
    error: textIn(value, "error"),
    ...(kind !== undefined && max !== undefined && { limit: { limit: kind, max } }),
    ...(baseSeq !== undefined && { plan: { baseSeq, plan: readField(plan, "plan") } }),
  };
}

function textIn(value: unknown, name: string): string | undefined {
  const found = readField(value, name);
  return typeof found === "string" ? found : undefined;
}

function numberIn(value: unknown, name: string): number | undefined {
  const found = readField(value, name);
  return typeof found === "number" ? found : undefined;
}
