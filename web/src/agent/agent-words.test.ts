import { expect, test } from "vitest";
import { callInWords, dollars, duration, runsOf, shortNumber } from "./agent-words";
import type { CallItem, Item } from "./transcript";

const call = (name: string, part: Partial<CallItem> = {}): CallItem => ({
  kind: "call",
  id: name,
  name,
  input: {},
  status: "ok",
  ...part,
});

test("a call reads as what it does, did, or did not do", () => {
  const added = call("addPage", { input: { title: "News\nroom" } });
  expect(callInWords({ ...added, status: "pending" })).toBe("Adding a page: “News room”");
  expect(callInWords(added)).toBe("Added a page: “News room”");
  expect(callInWords({ ...added, status: "error" })).toBe("Adding a page failed: “News room”");
  expect(callInWords(call("deletePage", { status: "error", decision: "denied" }))).toBe("Deleting a page was denied");
  expect(callInWords(call("shop.order"))).toBe("Called shop.order");
});

test("the same call many times in a row is one line, and what failed stands alone", () => {
  const items: Item[] = [
    call("read_document"),
    call("read_document"),
    call("read_document"),
    call("read_document", { status: "error" }),
    call("insertHtml"),
    call("insertHtml"),
    { kind: "text", text: "Done." },
  ];
  expect(runsOf(items).map(({ from, items: { length } }) => [from, length])).toEqual([
    [0, 3],
    [3, 1],
    [4, 1],
    [5, 1],
    [6, 1],
  ]);
});

test("numbers are short", () => {
  expect([950, 1200, 999_600, 2_000_000].map(shortNumber)).toEqual(["950", "1.2k", "1M", "2M"]);
  expect([duration(4200), duration(64_000)]).toEqual(["4 s", "1 min 4 s"]);
  expect([dollars(0), dollars(0.004), dollars(1.5)]).toEqual(["$0", "less than $0.01", "$1.50"]);
});
