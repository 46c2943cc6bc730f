// What can stop the assistant, as a closed list. Each has a sentence of the server's and one thing to do about it.
import type { ApiError } from "../api/problem";
import { words } from "../glossary";

export type FailureKind = keyof typeof words.agent.failures;

export interface Failure {
  kind: FailureKind;
  /** In the words of whoever refused. */
  message: string;
}

const BY_CLASS: Readonly<Record<string, FailureKind>> = {
  auth: "badKey",
  billing: "noCredit",
  rate_limited: "rateLimited",
  no_tool_support: "noTools",
  context_overflow: "contextFull",
  refusal: "refused",
  stream_truncated: "cutOff",
};

/** A turn that failed. */
export function failureOf(failure: { message: string; class?: string }): Failure {
  // The server counts a missing model among bad keys.
  if (failure.message.startsWith("No AI provider")) return { kind: "noModel", message: failure.message };
  return { kind: BY_CLASS[failure.class ?? ""] ?? "providerDown", message: failure.message };
}

/** A turn that reached a limit. */
export function limitOf(limit: { limit: string; max: number } | undefined): Failure {
  const message = limit === undefined ? undefined : words.agent.limits[limit.limit]?.(limit.max);
  return { kind: "budget", message: message ?? words.agent.failures.budget.title };
}

/** A request to the assistant that was refused before there was a turn. */
export function refusalOf(problem: ApiError): Failure | undefined {
  const { noProvider } = words.agent;
  if ([noProvider("site"), noProvider("content")].includes(problem.message))
    return { kind: "noModel", message: problem.message };
  if (problem.status === 403) return { kind: "permission", message: problem.message };
  if (problem.status === 409) return { kind: "conflict", message: problem.message };
  if (problem.code === "budget_exceeded") return { kind: "month", message: problem.message };
  return undefined;
}
