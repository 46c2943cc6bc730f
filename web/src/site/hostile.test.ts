// Hostile input through the real core: it answers or refuses within two seconds and 256 MB, and never traps. The recipes are those
// of the native test, crates/site/tests/it/hostile.rs. Time is the processor's; neighbours on the machine slow even that, but what
// is really slow is slow each time.
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import story from "./native-story.json";

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

const SECONDS_MAX = 2;
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

test.for(recipes)("$name ($kind)", { timeout: 60_000, retry: 2 }, async ({ kind, parts }) => {
  const { site, memory } = await freshCore();
  const input = cook(parts);
  const call = (given: object) => JSON.stringify({ input: given, view: story.call.view, change: "from-the-test" });
  const before = process.cpuUsage();
  try {
    if (kind === "html") site.runTool("insertHtml", call({ parentId: story.call.input.parentId, html: input }));
    if (kind === "css") site.runTool("applyCss", call({ css: input }));
    if (kind === "change") site.act(input);
  } catch (refused) {
    // A refusal is words in JSON; a trap of the module would be an Error.
    expect(refused).toBeTypeOf("string");
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(SECONDS_MAX);
  expect(memory.buffer.byteLength / 2 ** 20).toBeLessThanOrEqual(MEGABYTES_MAX);
});
