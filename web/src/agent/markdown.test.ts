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

/** The least processor time of several runs; what else the machine does only ever adds to it. */
function cost(run: () => void): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}

// The same text in 64 pieces is what the whole is measured by. Reading everything again for each part of it, or copying everything
// read so far, would make the whole 64 times as dear.
test.for([
  ["stars", "*", 1_000],
  ["brackets", "[", 30_000],
  ["ticks", "`", 60_000],
  ["emphasis", "*a* **b** ", 500],
  ["items of a list", "- a\n", 300],
  ["fences", "```\n```\n", 500],
  ["paragraphs", "a\n\n", 1_000],
] as const)("a long text of %s costs as much as its pieces", { timeout: 60_000 }, ([, part, times]) => {
  const piece = part.repeat(times);
  const whole = piece.repeat(64);
  const pieces = cost(() => {
    for (let read = 0; read < 64; read++) parseMarkdown(piece);
  });
  expect(cost(() => void parseMarkdown(whole)) / pieces).toBeLessThan(16);
});
