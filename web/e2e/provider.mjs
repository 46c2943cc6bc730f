// A model provider that speaks Anthropic's format and does what a test tells it, round by round. Unlike the simulator of the Rust
// tests it can stop in the middle of an answer until the test lets it go on, so that nothing depends on time.
import { once } from "node:events";
import { createServer } from "node:http";

const MODELS = [
  { id: "claude-opus-5-5", display_name: "Claude Opus 5.5", line: "opus" },
  { id: "claude-haiku-5-5", display_name: "Claude Haiku 5.5", line: "haiku" },
];

function list() {
  const data = MODELS.map((model) => ({
    ...model,
    type: "model",
    created_at: "2026-09-22T00:00:00Z",
    lifecycle: "active",
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
    capabilities: { image_input: { supported: true } },
  }));
  return { data, has_more: false, first_id: data[0].id, last_id: data.at(-1).id };
}

/**
 * A round is `{ text, calls, hold, breaks, status, message, headers }` or a function from the request to one: pieces of text, calls of
 * tools, a pause after the first piece until `goOn`, a connection that breaks, or an error instead of an answer. With a `key`, every
 * other one is refused.
 */
export async function startProvider({ key } = {}) {
  const rounds = [];
  const requests = [];
  let goOn = () => undefined;
  const server = createServer(async (request, response) => {
    if (key !== undefined && request.headers["x-api-key"] !== key) {
      const error = { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } };
      response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify(error));
      return;
    }
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json").end(JSON.stringify(list()));
      return;
    }
    let text = "";
    for await (const piece of request) text += piece;
    const asked = JSON.parse(text);
    requests.push(asked);
    const next = rounds.shift() ?? { text: ["There is nothing left to say."] };
    const round = typeof next === "function" ? next(asked) : next;
    if (round.status !== undefined) {
      const error = { type: "error", error: { type: "error", message: round.message ?? "no" } };
      response
        .writeHead(round.status, { "content-type": "application/json", ...round.headers })
        .end(JSON.stringify(error));
      return;
    }
    const held = new Promise((resolve) => {
      goOn = resolve;
    });
    await answer(response, round, held);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    /** What the next requests get, in order. */
    plan: (...next) => rounds.push(...next),
    goOn: () => goOn(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(response, { text = [], calls = [], hold = false, breaks = false }, held) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const tell = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const usage = { input_tokens: 1200, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5-5", content: [], usage };
  tell({ type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } });
  let index = 0;
  for (const piece of text) {
    if (index === 0) tell({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
    tell({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } });
    if (index === 0 && hold) await held;
    if (breaks) return response.destroy();
    index = 1;
  }
  if (index === 1) tell({ type: "content_block_stop", index: 0 });
  for (const { id, name, input } of calls) {
    tell({ type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } });
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
    tell({ type: "content_block_delta", index, delta });
    tell({ type: "content_block_stop", index });
    index += 1;
  }
  const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  tell({ type: "message_delta", delta: stop, usage: { output_tokens: 50 } });
  tell({ type: "message_stop" });
  response.end();
}
