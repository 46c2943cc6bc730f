// A conversation as its stored messages tell it, in the same turns that are made of events.
import type { Receipt, TurnStatus } from "./events";
import { callOf, type Item, newTurn, type Transcript, type Turn, withCall } from "./transcript";

/** A stored message. */
export interface StoredMessage {
  turnId: string;
  role: string;
  content: readonly unknown[];
  at: number;
}

/** A conversation as its stored messages tell it. Only its newest turn can be anything but over. */
export function fromMessages(
  messages: readonly StoredMessage[],
  lastTurn: { id: string; state: string } | undefined,
  contextTokens: number | null,
): Transcript {
  const turns = new Map<string, Turn>();
  for (const { turnId, role, content, at } of messages) {
    let turn = turns.get(turnId) ?? { ...newTurn(turnId, at), status: "done" };
    for (const block of content) turn = stored(turn, role, block);
    turns.set(turnId, { ...turn, endedAt: at });
  }
  if (lastTurn !== undefined) {
    const turn = turns.get(lastTurn.id) ?? newTurn(lastTurn.id, 0);
    turns.set(lastTurn.id, { ...turn, status: lastTurn.state as TurnStatus });
  }
  return { turns: [...turns.values()], queued: [], contextTokens };
}

interface StoredBlock {
  kind: string;
  text: string;
  mimeType: string;
  data: string;
  toolCallId: string;
  toolName: string;
  input: unknown;
  ok: boolean;
  error?: string;
  receipt?: Receipt;
}

function stored(turn: Turn, role: string, value: unknown): Turn {
  const block = value as StoredBlock;
  const add = (item: Item) => ({ ...turn, items: [...turn.items, item] });
  const last = turn.items.at(-1);
  switch (block.kind) {
    case "text":
      if (role !== "user") return add({ kind: "text", text: block.text });
      return add({ kind: "user", text: block.text, images: [] });
    case "image": {
      const image = { mimeType: block.mimeType, data: block.data };
      if (role !== "user") return turn;
      if (last?.kind !== "user") return add({ kind: "user", text: "", images: [image] });
      return { ...turn, items: turn.items.with(-1, { ...last, images: [...last.images, image] }) };
    }
    case "toolCall":
      return add(callOf({ ...block, status: "pending" }));
    case "toolResult": {
      const { ok, error, receipt } = block;
      return withCall(turn, block.toolCallId, {
        status: ok ? "ok" : "error",
        ...(error === undefined ? {} : { error }),
        // A call that only looked has an empty one.
        ...(receipt === undefined || Object.keys(receipt).length === 0 ? {} : { receipt }),
      });
    }
    default:
      return turn;
  }
}
