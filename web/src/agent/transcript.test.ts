import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TurnEvent } from "./events";
import { fromMessages } from "./stored-messages";
import { addMessage, EMPTY_TRANSCRIPT, processEvent, type Transcript } from "./transcript";
import { turnChangesOf } from "./turn-changes";

const events = (lines: string): TurnEvent[] =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const played = (transcript: Transcript, lines: string) =>
  events(lines).reduce((now, event) => processEvent(now, event, 1000), transcript);

const asked = (text: string) => addMessage(EMPTY_TRANSCRIPT, text, [], 0);

const ADDED = `
{"type":"bridgeReady","bridgeId":"b","turnId":"t1","epoch":"e","seq":1}
{"type":"budget","phase":"before","capUsd":2,"capTokens":2000000,"estimate":null,"priceKnown":true,"seq":2}
{"type":"reasoning","text":"A page, ","seq":3}
{"type":"reasoning","text":"then.","seq":4}
{"type":"text","text":"I add ","seq":5}
{"type":"text","text":"it.","seq":6}
{"type":"toolCall","toolCallId":"c1","toolName":"addPage","input":{"title":"News"},"status":"pending","seq":7}
{"type":"toolRequest","requestId":"r","toolName":"addPage","input":{"title":"News"},"changeId":"x","seq":8}
{"type":"change","toolCallId":"c1","toolName":"addPage","receipt":{"created":[{"kind":"page","id":"p","name":"News"}]},"seq":9}
{"type":"toolResult","toolCallId":"c1","toolName":"addPage","ok":true,"seq":10}
{"type":"context","contextTokens":900,"seq":11}
{"type":"context","contextTokens":1200,"seq":12}
{"type":"usage","promptTokens":2100,"completionTokens":40,"costUsd":0.01,"seq":13}
{"type":"somethingNew","of":"a newer server","seq":14}
{"type":"done","outcome":"done","seq":15}`;

test("texts grow, a result folds into its call, and the meter shows the last round", () => {
  const transcript = played(asked("Add News"), ADDED);
  const [turn] = transcript.turns;
  expect(turn?.items).toEqual([
    { kind: "user", text: "Add News", images: [] },
    { kind: "reasoning", text: "A page, then." },
    { kind: "text", text: "I add it." },
    {
      kind: "call",
      id: "c1",
      name: "addPage",
      input: { title: "News" },
      status: "ok",
      error: undefined,
      receipt: { created: [{ kind: "page", id: "p", name: "News" }] },
    },
  ]);
  expect(turn).toMatchObject({ id: "t1", status: "done", tokensRead: 2100, usage: { costUsd: 0.01 }, endedAt: 1000 });
  expect(transcript.contextTokens).toBe(1200);
});

test("the answer of a connected tool is a card of its call", () => {
  const card = { kind: "receipt", title: "Book", fields: [], items: [], leftOut: 0, actions: [] };
  const transcript = played(
    asked("Book it"),
    `{"type":"toolCall","toolCallId":"c","toolName":"book","input":{},"status":"pending"}
{"type":"card","toolCallId":"c","card":${JSON.stringify(card)}}`,
  );
  expect(transcript.turns[0]?.items[1]).toMatchObject({ kind: "call", card });
});

test("a failed call keeps its words, and an id that is used again means the newer call", () => {
  const transcript = played(
    asked("x"),
    `{"type":"toolCall","toolCallId":"c","toolName":"a","input":{},"status":"pending"}
{"type":"toolResult","toolCallId":"c","toolName":"a","ok":false,"error":"There is no such node."}
{"type":"toolCall","toolCallId":"c","toolName":"b","input":{},"status":"pending"}
{"type":"toolResult","toolCallId":"c","toolName":"b","ok":true}`,
  );
  expect(transcript.turns[0]?.items.slice(1)).toMatchObject([
    { name: "a", status: "error", error: "There is no such node." },
    { name: "b", status: "ok" },
  ]);
});

test("a call that asks makes the turn wait until everybody has answered", () => {
  const asking = played(
    asked("Delete both"),
    `{"type":"toolCall","toolCallId":"c","toolName":"deletePage","input":{},"status":"pending"}
{"type":"approvalRequest","approvalId":"a1","toolCallId":"c","toolName":"deletePage","title":"Delete a page","input":{},"reason":"","path":"/"}
{"type":"approvalRequest","approvalId":"a2","toolCallId":"d","toolName":"deletePage","title":"Delete a page","input":{},"reason":"","path":"/"}
{"type":"approvalResolved","approvalId":"a1","toolCallId":"c","decision":"denied"}`,
  );
  expect(asking.turns[0]).toMatchObject({ status: "waiting", approvals: [{ approvalId: "a2" }] });
  expect(asking.turns[0]?.items[1]).toMatchObject({ decision: "denied" });
  const answered = played(
    asking,
    `{"type":"approvalResolved","approvalId":"a2","toolCallId":"d","decision":"approved"}`,
  );
  expect(answered.turns[0]).toMatchObject({ status: "running", approvals: [] });
});

test("what is said meanwhile waits, is taken up, or has a turn of its own after the end", () => {
  const waiting = played(
    asked("One"),
    `{"type":"bridgeReady","bridgeId":"b","turnId":"t1","epoch":"e"}
{"type":"queued","text":"Two"}
{"type":"queued","text":"Three"}
{"type":"takenUp","text":"Two"}
{"type":"nextTurn","turnId":"t2"}
{"type":"text","text":"Done."}
{"type":"done","outcome":"done"}`,
  );
  expect(waiting.queued).toEqual(["Three"]);
  expect(waiting.turns.map(({ id, status }) => [id, status])).toEqual([
    ["t1", "done"],
    ["t2", "running"],
  ]);
  expect(waiting.turns[0]?.items.map((item) => "text" in item && item.text)).toEqual(["One", "Two", "Done."]);
  const next = played(
    waiting,
    `{"type":"state","turnId":"t2","conversationId":"k","epoch":"f","seq":1,"status":"running","blocks":[{"kind":"user","text":"Three"}],"approvals":[],"plan":null,"contextTokens":null}`,
  );
  expect(next.queued).toEqual([]);
  expect(next.turns[1]?.items).toEqual([{ kind: "user", text: "Three", images: [] }]);
});

test("a state replaces the turn and keeps what only this tab saw", () => {
  const before = played(addMessage(EMPTY_TRANSCRIPT, "Add News", [{ mimeType: "image/png", data: "AA" }], 0), ADDED);
  const state = {
    type: "state",
    turnId: "t1",
    conversationId: "k",
    epoch: "e",
    status: "running",
    blocks: [
      { kind: "user", text: "Add News" },
      { kind: "text", text: "I add it." },
      { kind: "toolCall", toolCallId: "c1", toolName: "addPage", input: {}, status: "ok" },
      { kind: "text", text: "There it is." },
    ],
    approvals: [],
    plan: null,
    contextTokens: 1300,
  };
  const after = played(before, JSON.stringify(state));
  expect(after.turns).toHaveLength(1);
  expect(after.turns[0]).toMatchObject({ status: "running", endedAt: undefined });
  expect(after.turns[0]?.items).toMatchObject([
    { kind: "user", images: [{ data: "AA" }] },
    { kind: "text" },
    { kind: "call", receipt: { created: [{ name: "News" }] } },
    { kind: "text", text: "There it is." },
  ]);
  expect(after.contextTokens).toBe(1300);
});

test("an error ends the turn in the server's words, and a limit says which", () => {
  const failed = played(asked("x"), `{"type":"error","message":"The provider failed: try again.","class":"server"}`);
  expect(failed.turns[0]).toMatchObject({ status: "failed", failure: { class: "server" } });
  const limited = played(
    asked("x"),
    `{"type":"budget","limit":"cost","used":2.1,"max":2}
{"type":"done","outcome":"budget"}`,
  );
  expect(limited.turns[0]).toMatchObject({ status: "budget", limit: { limit: "cost", max: 2 } });
});

test("stored messages give the same turns back, and the last one may be under way", () => {
  const transcript = fromMessages(
    [
      {
        turnId: "t1",
        role: "user",
        content: [
          { kind: "text", text: "Hi" },
          { kind: "image", mimeType: "image/png", data: "AA" },
        ],
        at: 1,
      },
      {
        turnId: "t1",
        role: "assistant",
        content: [
          { kind: "text", text: "Looking." },
          { kind: "toolCall", toolCallId: "c", toolName: "addPage", input: { title: "News" } },
        ],
        at: 2,
      },
      {
        turnId: "t1",
        role: "tool",
        content: [{ kind: "toolResult", toolCallId: "c", toolName: "addPage", ok: true, receipt: { created: [] } }],
        at: 3,
      },
      { turnId: "t2", role: "user", content: [{ kind: "text", text: "More" }], at: 4 },
    ],
    { id: "t2", state: "interrupted" },
    700,
  );
  expect(transcript.turns.map(({ id, status }) => [id, status])).toEqual([
    ["t1", "done"],
    ["t2", "interrupted"],
  ]);
  expect(transcript.turns[0]?.items).toMatchObject([
    { kind: "user", text: "Hi", images: [{ data: "AA" }] },
    { kind: "text" },
    { kind: "call", status: "ok", receipt: { created: [] } },
  ]);
  expect(transcript.contextTokens).toBe(700);
});

const recorded = (name: string) => readFileSync(new URL(`recorded/${name}`, import.meta.url), "utf8");

test("a turn that was recorded shows the same when it is heard and when it is restored", () => {
  const heard = played(
    asked("add a testimonials section and make the primary colour blue"),
    recorded("sections.ndjson"),
  );
  const { messages, lastTurn } = JSON.parse(recorded("sections.json"));
  const restored = fromMessages(messages, lastTurn, null);
  const shown = ({ turns }: Transcript) =>
    JSON.parse(JSON.stringify(turns.map(({ id, status, items }) => ({ id, status, items }))));
  expect(shown(restored)).toEqual(shown(heard));
  const [turn] = heard.turns;
  expect(turn?.status).toBe("done");
  expect(turn && turnChangesOf(turn)?.elements.added).toMatchObject([{ name: "section.testimonials" }]);
});
