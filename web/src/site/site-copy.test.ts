// The real core, built by `cargo xtask web`, told the story that the native side wrote down in native-story.json.
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import init, * as core from "../core/core.js";
import type { Change, Entity } from "./model";
import { story } from "./native-story";
import { CoreError, openCopy, type SiteCopy, type ToolRun } from "./site-copy";

beforeAll(async () => {
  await init({ module_or_path: await readFile(new URL("../core/core_bg.wasm", import.meta.url)) });
});

function northwind(): SiteCopy {
  const copy = openCopy({ version: "test", SiteCore: core.SiteCore }, story.shell, story.seq);
  copy.open(story.page, story.body, story.seq);
  return copy;
}

function run(copy: SiteCopy): ToolRun {
  const answer = copy.runTool(story.tool, story.call);
  if (!("done" in answer)) throw new Error(JSON.stringify(answer));
  return answer.done;
}

function changeOf(ops: Change["ops"], id = "from-the-test"): Change {
  return { id, author: { kind: "local" }, summary: "Insert", ops, format: 1 };
}

test("a tool makes the same steps with the same ids as on the server", () => {
  expect({ done: run(northwind()) }).toEqual(story.answer);
});

test("an edit shows at once, tells what it touched, and is confirmed by the log", () => {
  const copy = northwind();
  const heard: Entity[][] = [];
  copy.subscribe((touched) => heard.push(touched));
  const change = changeOf(run(copy).ops);
  expect(copy.act(change)).toEqual([]);
  const rendered = copy.render(story.page, "canvas");
  expect("done" in rendered && rendered.done.html).toMatch(
    /<h1 data-sw-node="\w{12}"><!--sw-text \w{12} \w{12}-->Good bread<\/h1>/,
  );
  expect(copy.pending().map(({ id }) => id)).toEqual(["from-the-test"]);
  copy.receive({ ...change, seq: 2, at: 0 });
  expect([copy.pending(), copy.seq(), heard.length]).toEqual([[], 2, 2]);
});

test("what was refused is taken back", () => {
  const copy = northwind();
  const before = copy.render(story.page, "publish");
  copy.act(changeOf(run(copy).ops));
  copy.dropPending("from-the-test");
  expect(copy.render(story.page, "publish")).toEqual(before);
});

test("a gap in the log throws with its code, and a missing field is undefined", () => {
  const copy = northwind();
  let thrown: unknown;
  try {
    copy.receive({ ...changeOf([]), seq: 9, at: 0 });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CoreError);
  expect(thrown).toMatchObject({ code: "astray", message: "the log goes on at 2, and 9 came" });
  expect(copy.field({ type: "node", body: story.page, node: "000000000000" }, "text")).toBeUndefined();
  expect(copy.field({ type: "site" }, "name")).toBe("Northwind");
});

test("a page that is not open is asked for", () => {
  const copy = openCopy({ version: "test", SiteCore: core.SiteCore }, story.shell, story.seq);
  expect(copy.render(story.page, "canvas")).toEqual({ needs: [{ body: story.page }] });
});
