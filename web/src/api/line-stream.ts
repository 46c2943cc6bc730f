// One JSON value per line from a response that goes on.

/** The values of a body, until it ends. A last line that was cut off is no value. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as unknown;
    }
  } finally {
    // Whoever stops listening gives the connection back.
    await reader.cancel().catch(() => undefined);
  }
}
