// A model provider on loopback that speaks Anthropic's format: lists two models, refuses every key but one, answers in a sentence.
import { once } from "node:events";
import { createServer } from "node:http";

const MODELS = [
  { id: "claude-opus-5-5", display_name: "Claude Opus 5.5", line: "opus" },
  { id: "claude-haiku-5-5", display_name: "Claude Haiku 5.5", line: "haiku" },
];

export async function startProvider({ key, answer = "Done." }) {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.headers["x-api-key"] !== key) return refuse(response);
      if (request.method === "GET") return json(response, 200, list());
      requests += 1;
      stream(response, answer, requests);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    requests: () => requests,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

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
  return { data, has_more: false, first_id: data[0].id, last_id: data[1].id };
}

function refuse(response) {
  json(response, 401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } });
}

function json(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function stream(response, text, number) {
  const counts = { input_tokens: 1200, cache_creation_input_tokens: 300, cache_read_input_tokens: 4000 };
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counts, output_tokens: 1, service_tier: "standard" },
  };
  const events = [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { ...counts, output_tokens: 350 },
    },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
