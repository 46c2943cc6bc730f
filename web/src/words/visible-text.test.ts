import { expect, test } from "vitest";
import { visible } from "./visible-text";

test("what hides or turns text around is spelt out", () => {
  expect(visible("paid \u202Eton\u200B\u0007")).toBe("paid ⟨U+202E⟩ton⟨U+200B⟩⟨U+0007⟩");
});

test("what writing needs stays: line ends, tabs, joined emoji, right-to-left hints", () => {
  const text = "a\tb\n👩\u200D🍳 \u200Fשלום";
  expect(visible(text)).toBe(text);
  expect(visible("a\r\nb\rc")).toBe("a\nb\nc");
});
