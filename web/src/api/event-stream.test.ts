import { expect, test } from "vitest";
import { readEvents } from "./event-stream";

async function read(...chunks: string[]) {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  const found = [];
  for await (const event of readEvents(body)) found.push(event);
  return found;
}

test("events arrive whole however the network cuts them", async () => {
  const text = ': hello\n\nid: 4\nevent: change\ndata: {"seq":4}\n\n:\n\ndata: one\ndata: two\n\n';
  const expected = [
    { event: "change", data: '{"seq":4}' },
    { event: "message", data: "one\ntwo" },
  ];
  expect(await read(text)).toEqual(expected);
  expect(await read(...text)).toEqual(expected);
  expect(await read(text.replaceAll("\n", "\r\n"))).toEqual(expected);
});

test("an event that was cut off is not told", async () => {
  expect(await read("data: one\n\ndata: tw")).toEqual([{ event: "message", data: "one" }]);
});
