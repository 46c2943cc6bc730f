// Server-sent events from a response that goes on. EventSource would hide why a stream was refused.
export interface ServerEvent {
  event: string;
  data: string;
}

/** The events of a body, until it ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const parts = rest.split(/\r?\n\r?\n/);
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const event = parseEvent(part);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // Whoever stops listening gives the connection back.
    await reader.cancel().catch(() => undefined);
  }
}

/** One event; a comment that only keeps the connection alive is none. */
function parseEvent(text: string): ServerEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") event = value ?? event;
    if (field === "data") data.push(value ?? "");
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}
