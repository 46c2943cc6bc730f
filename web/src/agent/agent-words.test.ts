import { expect, test } from "vitest";
import { callInWords, dollars, duration, runInWords, runsOf, shortNumber } from "./agent-words";
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

const lines = (...items: Item[]) =>
  runsOf(items).map((run) => (run.kind === "single" ? `${run.from}` : `${run.from}: ${runInWords(run)}`));

test("looks in a row are one line, and what failed or answers somebody stands alone", () => {
  expect(
    lines(
      call("list_documents"),
      call("read_document"),
      call("read_document", { status: "error" }),
      call("read_document"),
      { kind: "text", text: "Done." },
      call("getPageSettings"),
      call("finalAnswer"),
    ),
  ).toEqual(["0: Looked at 2 things", "2", "3", "4", "5", "6"]);
});

test("the same change many times in a row is one line", () => {
  expect(lines(call("insertHtml"), call("insertHtml"), call("read_document"))).toEqual(["0", "1", "2"]);
  expect(lines(call("insertHtml"), call("insertHtml"), call("insertHtml"), call("addPage"))).toEqual([
    "0: Added content, 3 times",
    "3",
  ]);
});

test("numbers are short", () => {
  expect([950, 1200, 999_600, 2_000_000].map(shortNumber)).toEqual(["950", "1.2k", "1M", "2M"]);
  expect([duration(4200), duration(64_000)]).toEqual(["4 s", "1 min 4 s"]);
  expect([dollars(0), dollars(0.004), dollars(1.5)]).toEqual(["$0", "less than $0.01", "$1.50"]);
});
