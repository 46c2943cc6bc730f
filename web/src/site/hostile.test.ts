// Hostile input through the real core: it answers or refuses, never traps, stays within 256 MB, and costs at most a few times what
// an ordinary large page costs in the same run. The recipes are those of the native test, crates/site/tests/it/hostile.rs.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test, vi } from "vitest";
import { readField } from "../api/read-field";
import { story } from "./native-story";

type Part = string | { repeat: string; times: number } | { bytes: number[]; times: number };

interface Recipe {
  name: string;
  kind: "html" | "css" | "change";
  parts: Part[];
}

const recipes: Recipe[] = JSON.parse(
  readFileSync(new URL("../../../crates/site/tests/hostile.json", import.meta.url), "utf8"),
);
const compiled = new WebAssembly.Module(readFileSync(new URL("../core/core_bg.wasm", import.meta.url)));

// A page of 8,000 sections. What hostile input costs today is up to four times as much, and what grows with the square of its
// length would be thousands of times as dear, so neither a slow machine nor a busy one comes near the limit.
const ORDINARY: Recipe = {
  name: "ordinary",
  kind: "html",
  parts: [{ repeat: "<section><h2>Title {n}</h2><p>Some words, <b>and more</b> of them.</p></section>", times: 8000 }],
};
const TIMES_ORDINARY_MAX = 12;
const MEGABYTES_MAX = 256;

function cook(parts: Part[]): string {
  const cooked = parts.map((part) => {
    if (typeof part === "string") return part;
    if ("bytes" in part) return new TextDecoder().decode(Buffer.from(part.bytes)).repeat(part.times);
    if (!part.repeat.includes("{n")) return part.repeat.repeat(part.times);
    return Array.from({ length: part.times }, (_, number) =>
      part.repeat.replaceAll("{n}", String(number)).replaceAll("{n8}", String(number).padStart(8, "0")),
    ).join("");
  });
  return cooked.join("");
}

// A module of its own has a memory of its own, which never shrinks.
async function freshCore() {
  vi.resetModules();
  const core = await import("../core/core.js");
  const { memory } = await core.default({ module_or_path: compiled });
  const site = new core.SiteCore(JSON.stringify(story.shell), story.seq);
  site.openBody(story.page, JSON.stringify(story.body), story.seq);
  return { site, memory };
}

/** Hands the input to a fresh core; answers the processor time it took and the memory the core has then. */
async function cost({ kind, parts }: Recipe) {
  const { site, memory } = await freshCore();
  const input = cook(parts);
  const call = (given: object) => JSON.stringify({ input: given, view: story.call.view, change: "from-the-test" });
  const before = process.cpuUsage();
  try {
    if (kind === "html")
      site.runTool("insertHtml", call({ parentId: readField(story.call.input, "parentId"), html: input }));
    if (kind === "css") site.runTool("applyCss", call({ css: input }));
    if (kind === "change") site.act(input);
  } catch (refused) {
    // A refusal is words in JSON; a trap of the module would be an Error.
    expect(refused).toBeTypeOf("string");
  }
  const { user, system } = process.cpuUsage(before);
  return { microseconds: user + system, megabytes: memory.buffer.byteLength / 2 ** 20 };
}

let ordinary: number;

beforeAll(async () => {
  const runs = [await cost(ORDINARY), await cost(ORDINARY), await cost(ORDINARY)];
  ordinary = Math.min(...runs.map(({ microseconds }) => microseconds));
}, 60_000);

test.for(recipes)("$name ($kind)", { timeout: 60_000 }, async (recipe) => {
  const { microseconds, megabytes } = await cost(recipe);
  expect(microseconds / ordinary).toBeLessThan(TIMES_ORDINARY_MAX);
  expect(megabytes).toBeLessThanOrEqual(MEGABYTES_MAX);
});
