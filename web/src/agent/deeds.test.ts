import { expect, test } from "vitest";
import { deedsOf } from "./deeds";
import type { Receipt } from "./events";
import type { CallItem } from "./transcript";

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
    deedsOf({ items: [{ kind: "text", text: "Hi" }, call(undefined), call({ unchanged: [node("a")] })] }),
  ).toBeUndefined();
});

test("things count once, and what was made and removed again not at all", () => {
  const deeds = deedsOf({
    items: [
      call({ created: [{ kind: "page", id: "p", name: "News" }, node("a"), node("b")] }),
      call({ changed: [node("a"), node("c"), { kind: "rule", id: ".card", name: ".card", alsoUsedIn: 3 }] }),
      call({ removed: [node("b"), node("d")], sanitised: [{ what: "script", at: "div", count: 2 }] }),
      call({ changed: [node("z")] }, "error"),
    ],
  });
  expect(deeds).toMatchObject({
    pages: { added: [{ name: "News" }], changed: [], removed: [] },
    elements: { added: [{ id: "a" }], changed: [{ id: "c" }], removed: [{ id: "d" }] },
    styles: [{ name: ".card", alsoUsedIn: 3 }],
    sanitised: [{ what: "script", count: 2 }],
  });
  expect(deeds?.refused).toHaveLength(1);
});
