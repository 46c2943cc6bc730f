import { expect, test } from "vitest";
import type { ListedTool } from "../../generated/api";
import { firstSentence, kindOf, matches } from "./tool-words";

const tool = (more: Partial<ListedTool>): ListedTool => ({
  name: "shop.getProduct",
  description: "Finds a product by its number. Use it for prices.",
  inputSchema: {},
  outputSchema: {},
  capability: "read",
  timeoutMs: 1000,
  retryPolicy: { maxAttempts: 1 },
  idempotent: true,
  source: "registered",
  ...more,
});

test("a tool that changes something and does not say what counts as acting outside", () => {
  expect(kindOf(tool({}))).toBe("look");
  expect(kindOf(tool({ capability: "write" }))).toBe("outside");
  expect(kindOf(tool({ capability: "write", effect: "draft" }))).toBe("change");
  expect(kindOf(tool({ capability: "read", effect: "external" }))).toBe("outside");
});

test("every word of a search must be found, in any order and case", () => {
  expect(matches(tool({}), "PRICES product")).toBe(true);
  expect(matches(tool({}), "product order")).toBe(false);
  expect(matches(tool({}), "")).toBe(true);
});

test("a list shows the first sentence, also of a text without an end", () => {
  expect(firstSentence("Finds v1.2 files. And more.")).toBe("Finds v1.2 files.");
  expect(firstSentence("No end")).toBe("No end");
});
