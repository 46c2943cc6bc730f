import { expect, test } from "vitest";
import { parseInline, parseMarkdown } from "./markdown";

test("paragraphs, lists, headings and code are told apart", () => {
  expect(parseMarkdown("## Done\nOne\ntwo\n\n- a\n- b\n1. c\n\n```css\n.x {}\n")).toEqual([
    { kind: "heading", parts: [{ kind: "text", text: "Done" }] },
    { kind: "paragraph", parts: [{ kind: "text", text: "One\ntwo" }] },
    { kind: "list", isOrdered: false, items: [[{ kind: "text", text: "a" }], [{ kind: "text", text: "b" }]] },
    { kind: "list", isOrdered: true, items: [[{ kind: "text", text: "c" }]] },
    { kind: "code", text: ".x {}\n" },
  ]);
});

test("bold, emphasis, code and links nest, and lone signs stay", () => {
  expect(parseInline("a **b `c`** *d* 2 * 3 * 4 [e](/admin/ai)")).toEqual([
    { kind: "text", text: "a " },
    {
      kind: "strong",
      parts: [
        { kind: "text", text: "b " },
        { kind: "code", text: "c" },
      ],
    },
    { kind: "text", text: " " },
    { kind: "emphasis", parts: [{ kind: "text", text: "d" }] },
    { kind: "text", text: " 2 * 3 * 4 " },
    { kind: "link", href: "/admin/ai", parts: [{ kind: "text", text: "e" }] },
  ]);
});

test("what would run is no link, and HTML is text", () => {
  for (const text of [
    "[x](javascript:alert(1))",
    "[x](//evil.example)",
    "[x](data:text/html,y)",
    "<img src=x onerror=y>",
  ]) {
    expect(JSON.stringify(parseInline(text))).not.toContain('"link"');
  }
});

test("a long line of signs is read in no time", () => {
  const began = performance.now();
  parseMarkdown(`${"*".repeat(20_000)}\n${"[".repeat(20_000)}\n${"`".repeat(20_000)}`);
  expect(performance.now() - began).toBeLessThan(1000);
});
