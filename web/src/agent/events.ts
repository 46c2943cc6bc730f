// The events of a turn as the server tells them, one per line. docs/agent.md explains each.

export type TurnStatus = "running" | "waiting" | "done" | "failed" | "stopped" | "interrupted" | "budget";

/** A thing that a call touched. */
export interface Touched {
  kind: string;
  id: string;
  name?: string | null;
  alsoUsedIn?: number | null;
}

/** What a call really did. */
export interface Receipt {
  created?: Touched[];
  changed?: Touched[];
  unchanged?: Touched[];
  removed?: Touched[];
  missing?: Touched[];
  sanitised?: { what: string; at: string; count: number }[];
  notes?: string[];
}

export interface Usage {
  promptTokens: number;
  completionTokens: number;
  costUsd?: number;
  cacheReadTokens?: number;
  cacheCreationTokens?: number;
}

export interface ApprovalRequest {
  approvalId: string;
  toolCallId: string;
  toolName: string;
  title: string;
  input: unknown;
  preview?: unknown;
  reason: string;
  expiresAt?: number;
  path: string;
}

/** A plan that was handed in, with what it would do. */
export interface HandedIn {
  baseSeq: number;
  plan: unknown;
}

export interface ToolRequest {
  type: "toolRequest";
  requestId: string;
  toolName: string;
  input: unknown;
  changeId: string;
}

export type ShownBlock =
  | { kind: "user"; text: string }
  | { kind: "text"; text: string }
  | {
      kind: "toolCall";
      toolCallId: string;
      toolName: string;
      input: unknown;
      status: "pending" | "ok" | "error";
      error?: string;
    };

/** Everything of a turn so far. */
export interface StateEvent {
  type: "state";
  turnId: string;
  conversationId: string;
  epoch: string;
  status: TurnStatus;
  blocks: ShownBlock[];
  approvals: ApprovalRequest[];
  plan: HandedIn | null;
  contextTokens: number | null;
}

export interface BudgetBefore {
  type: "budget";
  phase: "before";
  capUsd: number | null;
  capTokens: number;
  estimate: { lowUsd: number; highUsd: number; turns: number } | null;
  priceKnown: boolean;
}

export type Limit = "rounds" | "time" | "tokens" | "cost";

export interface BudgetReached {
  type: "budget";
  limit: Limit;
  used: number;
  max: number;
}

type Told =
  | { type: "bridgeReady"; bridgeId: string; turnId: string; epoch: string }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "toolCall"; toolCallId: string; toolName: string; input: unknown; status: "pending" }
  | ToolRequest
  | { type: "toolResult"; toolCallId: string; toolName: string; ok: boolean; error?: string }
  | { type: "change"; toolCallId: string; toolName: string; receipt: Receipt }
  | ({ type: "approvalRequest" } & ApprovalRequest)
  | {
      type: "approvalResolved";
      approvalId: string;
      toolCallId: string;
      decision: "approved" | "denied" | "expired";
    }
  | ({ type: "plan"; turnId: string } & HandedIn)
  | BudgetBefore
  | BudgetReached
  | { type: "queued"; text: string }
  | { type: "takenUp"; text: string }
  | { type: "nextTurn"; turnId: string }
  | { type: "context"; contextTokens: number }
  | ({ type: "usage" } & Usage)
  | { type: "retry"; afterMs: number; reason: string }
  | { type: "ping" }
  | { type: "done"; outcome?: TurnStatus }
  | { type: "error"; message: string; class?: string }
  | StateEvent;

export type TurnEvent = Told & { seq?: number };

const TYPES: ReadonlySet<string> = new Set<TurnEvent["type"]>([
  "bridgeReady",
  "text",
  "reasoning",
  "toolCall",
  "toolRequest",
  "toolResult",
  "change",
  "approvalRequest",
  "approvalResolved",
  "plan",
  "budget",
  "queued",
  "takenUp",
  "nextTurn",
  "context",
  "usage",
  "retry",
  "ping",
  "done",
  "error",
  "state",
]);

/** An event that this shell knows; a newer server may tell others, which are nothing to it. */
export function asEvent(value: unknown): TurnEvent | undefined {
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  return typeof value.type === "string" && TYPES.has(value.type) ? (value as TurnEvent) : undefined;
}

/** Whether a turn in this state goes on by itself. */
export function isUnderWay(status: TurnStatus): boolean {
  return status === "running" || status === "waiting";
}
