// The real core lists the tokens.
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import init, * as core from "../core/core.js";
import { story } from "./native-story";
import { openCopy, type SiteCopy } from "./site-copy";
import { stepSize, tokenNamed, tokensOf } from "./site-tokens";

beforeAll(async () => {
  await init({ module_or_path: await readFile(new URL("../core/core_bg.wasm", import.meta.url)) });
});

function act(copy: SiteCopy, tool: string, input: unknown) {
  const answer = copy.runTool(tool, { input, change: tool });
  if (!("done" in answer)) throw new Error(JSON.stringify(answer));
  copy.act({ id: tool, author: { kind: "local" }, summary: tool, ops: answer.done.ops, format: 1 });
}

test("colours are listed without their variants, also when one is named as a variant would be", () => {
  const copy = openCopy({ version: "test", SiteCore: core.SiteCore }, story.shell, story.seq);
  const slugs = ["gray", "gray-50", "gray-900", "ink"];
  act(copy, "set_color_tokens", { tokens: slugs.map((slug) => ({ slug, lightValue: "#345" })) });
  act(copy, "set_spacing_scale", {});
  const { colors, spacing } = tokensOf(copy);
  expect(colors.map(({ name }) => name)).toEqual(slugs);
  expect(tokenNamed(colors, "var(--ink)")?.name).toBe("ink");
  const base = spacing.find(({ name }) => name === "m");
  expect(base && stepSize(base)).toBe("16 to 28px");
});
