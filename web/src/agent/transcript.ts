// What is shown of a conversation: its turns, made of events as they come or of the stored messages. Pure; asks nobody.
import type {
  ApprovalRequest,
  BudgetBefore,
  BudgetReached,
  Receipt,
  ResultCard,
  ShownBlock,
  StateEvent,
  SubmittedPlan,
  TurnEvent,
  TurnStatus,
  Usage,
} from "./events";

export interface Picture {
  mimeType: string;
  data: string;
}

export interface CallItem {
  kind: "call";
  id: string;
  name: string;
  input: unknown;
  status: "pending" | "ok" | "error";
  error?: string;
  /** What it did to the site. */
  receipt?: Receipt;
  /** What a connected tool answered. */
  card?: ResultCard;
  /** What somebody decided about it. */
  decision?: "approved" | "denied" | "expired";
}

export type Item =
  | { kind: "user"; text: string; images: readonly Picture[] }
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | CallItem;

export interface Turn {
  /** Empty until the server has named it. */
  id: string;
  status: TurnStatus;
  items: readonly Item[];
  approvals: readonly ApprovalRequest[];
  plan?: SubmittedPlan;
  budget?: BudgetBefore;
  /** The limit that ended it. */
  limit?: Omit<BudgetReached, "type">;
  usage?: Usage;
  /** How many tokens its rounds have read, while it runs. */
  tokensRead: number;
  failure?: { message: string; class?: string };
  /** The provider is asked again. */
  retry?: { reason: string; at: number };
  startedAt: number;
  endedAt?: number;
}

export interface Transcript {
  turns: readonly Turn[];
  /** What was said while a turn was under way and is not taken up yet. */
  queued: readonly string[];
  /** The turn that begins when this one has ended. */
  next?: string;
  /** How much of the model's window the conversation fills; unknown before its first turn. */
  contextTokens: number | null;
}

export const EMPTY_TRANSCRIPT: Transcript = { turns: [], queued: [], contextTokens: null };

export function newTurn(id: string, at: number, items: readonly Item[] = []): Turn {
  return { id, status: "running", items, approvals: [], tokensRead: 0, startedAt: at };
}

/** Somebody says something; the server has not heard it yet. */
export function addMessage(transcript: Transcript, text: string, images: readonly Picture[], at: number): Transcript {
  return { ...transcript, turns: [...transcript.turns, newTurn("", at, [{ kind: "user", text, images }])] };
}

/** Takes back what the server never heard. */
export function removeUnsent(transcript: Transcript): Transcript {
  return { ...transcript, turns: transcript.turns.filter(({ id }) => id !== "") };
}

/** Takes in an event of the newest turn. */
export function processEvent(transcript: Transcript, event: TurnEvent, at: number): Transcript {
  switch (event.type) {
    case "bridgeReady":
      return named(transcript, event.turnId, at);
    case "state":
      return restated(transcript, event, at);
    case "nextTurn":
      return { ...transcript, next: event.turnId };
    case "done":
    case "error":
      return succeeded(
        newest(transcript, (turn) => inTurn(turn, event, at)),
        at,
      );
    case "queued":
      return { ...transcript, queued: [...transcript.queued, event.text] };
    case "takenUp":
      return newest({ ...transcript, queued: without(transcript.queued, event.text) }, (turn) => ({
        ...turn,
        items: [...turn.items, { kind: "user", text: event.text, images: [] }],
      }));
    case "context":
      return newest({ ...transcript, contextTokens: event.contextTokens }, (turn) => ({
        ...turn,
        tokensRead: turn.tokensRead + event.contextTokens,
      }));
    default:
      return newest(transcript, (turn) => inTurn(turn, event, at));
  }
}

function inTurn(turn: Turn, event: TurnEvent, at: number): Turn {
  switch (event.type) {
    case "text":
    case "reasoning":
      return { ...turn, retry: undefined, items: extended(turn.items, event.type, event.text) };
    case "toolCall":
      return { ...turn, retry: undefined, items: [...turn.items, callOf(event)] };
    case "toolResult":
      return withCall(turn, event.toolCallId, { status: event.ok ? "ok" : "error", error: event.error ?? undefined });
    case "change":
      return withCall(turn, event.toolCallId, { receipt: event.receipt });
    case "card":
      return withCall(turn, event.toolCallId, { card: event.card });
    case "approvalRequest":
      return { ...turn, status: "waiting", approvals: [...turn.approvals, event] };
    case "approvalResolved": {
      const approvals = turn.approvals.filter(({ approvalId }) => approvalId !== event.approvalId);
      const status = approvals.length === 0 ? "running" : turn.status;
      return withCall({ ...turn, approvals, status }, event.toolCallId, { decision: event.decision });
    }
    case "plan":
      return { ...turn, plan: { baseSeq: event.baseSeq, plan: event.plan } };
    case "budget":
      return "phase" in event ? { ...turn, budget: event } : { ...turn, limit: event };
    case "usage":
      return { ...turn, usage: event };
    case "retry":
      return { ...turn, retry: { reason: event.reason, at: at + event.afterMs } };
    case "done":
      return { ...turn, retry: undefined, status: event.outcome ?? "done", endedAt: at };
    case "error":
      return {
        ...turn,
        retry: undefined,
        status: "failed",
        failure: { message: event.message, class: event.class },
        endedAt: at,
      };
    default:
      return turn;
  }
}

function newest(transcript: Transcript, change: (turn: Turn) => Turn): Transcript {
  const last = transcript.turns.at(-1);
  if (last === undefined) return transcript;
  return { ...transcript, turns: [...transcript.turns.slice(0, -1), change(last)] };
}

/** What was said meanwhile and not taken up is answered next. */
function succeeded({ next, ...transcript }: Transcript, at: number): Transcript {
  if (next === undefined || transcript.turns.some(({ id }) => id === next)) return transcript;
  return { ...transcript, turns: [...transcript.turns, newTurn(next, at)] };
}

/** The turn that was spoken of has a name now. */
function named(transcript: Transcript, id: string, at: number): Transcript {
  if (transcript.turns.some((turn) => turn.id === id)) return transcript;
  if (transcript.turns.at(-1)?.id === "") return newest(transcript, (turn) => ({ ...turn, id }));
  return { ...transcript, turns: [...transcript.turns, newTurn(id, at)] };
}

/** The server tells everything again. What only this tab saw of it, such as what calls did, stays. */
function restated(transcript: Transcript, event: StateEvent, at: number): Transcript {
  const { turns } = named(transcript, event.turnId, at);
  const replaced = turns.map((turn) => (turn.id === event.turnId ? stated(turn, event, at) : turn));
  const heard = event.blocks.flatMap((block) => (block.kind === "user" ? [block.text] : []));
  return {
    ...transcript,
    turns: replaced,
    queued: heard.reduce(without, transcript.queued),
    contextTokens: event.contextTokens ?? transcript.contextTokens,
  };
}

function stated(turn: Turn, event: StateEvent, at: number): Turn {
  const known = new Map(turn.items.flatMap((item) => (item.kind === "call" ? [[item.id, item] as const] : [])));
  const images = turn.items.flatMap((item) => (item.kind === "user" ? [item] : []));
  const items = event.blocks.map((block, position): Item => {
    if (block.kind === "toolCall") return { ...known.get(block.toolCallId), ...callOf(block) };
    if (block.kind === "text") return block;
    return { kind: "user", text: block.text, images: position === 0 ? (images[0]?.images ?? []) : [] };
  });
  const isOver = event.status !== "running" && event.status !== "waiting";
  return {
    ...turn,
    status: event.status,
    items,
    approvals: event.approvals,
    plan: event.plan ?? undefined,
    endedAt: isOver ? (turn.endedAt ?? at) : undefined,
  };
}

export function callOf(call: Omit<Extract<ShownBlock, { kind: "toolCall" }>, "kind">): CallItem {
  return {
    kind: "call",
    id: call.toolCallId,
    name: call.toolName,
    input: call.input,
    status: call.status,
    ...(call.error == null ? {} : { error: call.error }),
  };
}

function extended(items: readonly Item[], kind: "text" | "reasoning", text: string): readonly Item[] {
  const last = items.at(-1);
  if (last?.kind !== kind) return [...items, { kind, text }];
  return [...items.slice(0, -1), { kind, text: last.text + text }];
}

/** The newest call of this id: a model may use an id again. */
export function withCall(turn: Turn, id: string, part: Partial<CallItem>): Turn {
  const at = turn.items.findLastIndex((item) => item.kind === "call" && item.id === id);
  const call = turn.items[at];
  if (call?.kind !== "call") return turn;
  return { ...turn, items: turn.items.with(at, { ...call, ...part }) };
}

function without(texts: readonly string[], text: string): readonly string[] {
  const at = texts.indexOf(text);
  return at < 0 ? texts : texts.toSpliced(at, 1);
}
