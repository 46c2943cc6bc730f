import { expect, test } from "vitest";
import type { Receipt } from "./events";
import type { CallItem } from "./transcript";
import { turnChangesOf } from "./turn-changes";

const call = (receipt: Receipt | undefined, status: CallItem["status"] = "ok"): CallItem => ({
  kind: "call",
  id: "c",
  name: "x",
  input: {},
  status,
  receipt,
});
const node = (id: string) => ({ kind: "node", id });

test("a turn that only looked has no card", () => {
  expect(
    turnChangesOf({ items: [{ kind: "text", text: "Hi" }, call(undefined), call({ unchanged: [node("a")] })] }),
  ).toBeUndefined();
});

test("things count once, and what was made and removed again not at all", () => {
  const changes = turnChangesOf({
    items: [
      call({ created: [{ kind: "page", id: "p", name: "News" }, node("a"), node("b")] }),
      call({ changed: [node("a"), node("c"), { kind: "rule", id: ".card", name: ".card", alsoUsedIn: 3 }] }),
      call({ created: [{ kind: "rule", id: "r", name: ".n-6jfq0b1jgy7k:hover" }] }),
      call({ removed: [node("b"), node("d")], sanitised: [{ what: "script", at: "div", count: 2 }] }),
      call({ changed: [node("z")] }, "error"),
    ],
  });
  expect(changes).toMatchObject({
    pages: { added: [{ name: "News" }], changed: [], removed: [] },
    elements: { added: [{ id: "a" }], changed: [{ id: "c" }], removed: [{ id: "d" }] },
    styles: [{ name: ".card", alsoUsedIn: 3 }],
    sanitised: [{ what: "script", count: 2 }],
  });
  expect(changes?.refused).toHaveLength(1);
});

test("a turn of a plan did what its plan did once it was accepted", () => {
  const items = [{ kind: "text", text: "A plan." }] as const;
  expect(turnChangesOf({ items })).toBeUndefined();
  const created = [{ kind: "page", id: "p1", name: "Landing" }];
  expect(turnChangesOf({ items }, { created })?.pages.added).toEqual(created);
});
