// A conversation as its stored messages tell it, in the same turns that are made of events.
import type { LastTurn, MessageBlock, MessageView } from "../generated/api";
import { callOf, type Item, newTurn, type Transcript, type Turn, withCall } from "./transcript";

/** A conversation as its stored messages tell it. Only its newest turn can be anything but over. */
export function fromMessages(
  messages: readonly Omit<MessageView, "seq">[],
  lastTurn: LastTurn | undefined,
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
    turns.set(lastTurn.id, { ...turn, status: lastTurn.state });
  }
  return { turns: [...turns.values()], queued: [], contextTokens };
}

function stored(turn: Turn, role: string, block: MessageBlock): Turn {
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
        ...(error == null ? {} : { error }),
        // A call that only looked has an empty one.
        ...(receipt == null || Object.keys(receipt).length === 0 ? {} : { receipt }),
      });
    }
    default:
      return turn;
  }
}
