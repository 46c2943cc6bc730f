// Records and workflows as an owner watches them: they arrive by themselves, are filtered, opened and looked into. One story.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { assertAccessible, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { ask, setUp, stepsOf } from "./steps.mjs";

let product;
let browser;
let visitor;
let page;
let vendor;

before(async () => {
  [product, browser, vendor] = await Promise.all([
    startProduct(["egress_allow=127.0.0.1/32"]),
    launchBrowser(),
    startVendor(),
  ]);
  visitor = await openVisitor(browser);
  page = visitor.page;
  await setUp(page, product);
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    vendor?.close();
    await browser?.close();
    await product?.stop();
  }
});

/** A vendor that answers when the test says so. */
async function startVendor() {
  const waiting = [];
  const server = createServer((_request, response) => waiting.push(response));
  server.answer = () => {
    const response = waiting.shift();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: { stock: 7 } }));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const at = (path) => `${product.address}/admin${path}`;
const record = (title) => page.getByRole("list", { name: "Records" }).getByRole("listitem").filter({ hasText: title });
const stepBox = (id) => page.getByRole("button", { name: new RegExp(`^${id}\\b`) });

async function look(name) {
  await assertFits(page, name);
  await assertAccessible(page, name);
}

const write = (breadcrumb) => ask(page, "POST", "/breadcrumbs", breadcrumb);
const note = (title, rest = {}) => write({ schema_name: "note.v1", title, context: { says: title }, ...rest });
const runWorkflow = (steps) =>
  ask(page, "POST", "/tools/call", { tool: "workflow", scope: "breadcrumbs", arguments: { steps } });

const step = stepsOf("activity", () => visitor);

step("records and the answers to their requests appear as they are written", async () => {
  await page.goto(at("/activity/records"));
  await page.getByText("No records", { exact: true }).waitFor();
  await look("no records");
  const requests = [{ tool: "calculator", input: { expression: "6 * 7" }, requestId: "calc-1", return_to_llm: false }];
  await write({
    schema_name: "agent.response.v1",
    title: "Answer",
    tags: ["agent:response", "session:s1"],
    context: { message: "I calculate.", tool_requests: requests },
  });
  await record("agent.response.v1").getByText("Answer").waitFor();
  const response = record("tool.response.v1");
  await response.getByText("session:s1").waitFor();
  await response.getByText("Content").click();
  await response.getByText('"result": 42').waitFor();
  await look("records");
});

step("a record that changes shows its versions, and one that is deleted is gone", async () => {
  const made = await note("Draft");
  await record("Draft").getByText("Version 1").waitFor();
  await ask(page, "PATCH", `/breadcrumbs/${made.id}`, { version: 1, title: "Final", context: { says: "done" } });
  await record("Final").getByText("Version 2").waitFor();
  assert.equal(await record("Draft").count(), 0);
  await record("Final").getByText("Content").click();
  await record("Final").getByRole("button", { name: "Show versions" }).click();
  const versions = page.getByRole("list", { name: "Versions" }).getByRole("listitem");
  await versions.getByText('"says": "Draft"').waitFor();
  assert.deepEqual(await versions.getByText(/"says"/).allInnerTexts(), [
    '{\n  "says": "Draft"\n}',
    '{\n  "says": "done"\n}',
  ]);
  await look("versions of a record");
  await ask(page, "DELETE", `/breadcrumbs/${made.id}`);
  await record("Final").waitFor({ state: "detached" });
});

step("what is sensitive is marked, and its content is not shown", async () => {
  await note("Guest list", { sensitivity: "pii" });
  await record("Guest list").getByText("Personal data").waitFor();
  await note("Door code", { sensitivity: "secret" });
  await page.reload();
  await record("Door code").getByText("Secret", { exact: true }).waitFor();
  await record("Door code").getByText("Content", { exact: true }).click();
  await record("Door code").getByText("The content of this record is sensitive and isn’t shown.").waitFor();
  assert.equal(await record("Door code").getByText('"says"').count(), 0);
  await note("Recipe", { context: { flour: "500 g", secret: "yeast", llm_hints: { exclude: ["secret"] } } });
  await page.reload();
  await record("Recipe").getByText("Content", { exact: true }).click();
  await record("Recipe").getByText("Some fields of this record aren’t shown.").waitFor();
  await record("Recipe").getByText('"flour": "500 g"').waitFor();
  await look("sensitive records");
});

step("filters by kind, tag and words leave the others out, also of what comes later", async () => {
  await page.getByLabel("Kind").selectOption("tool.response.v1");
  await record("agent.response.v1").waitFor({ state: "detached" });
  await record("tool.response.v1").waitFor();
  assert.equal(await page.getByRole("list", { name: "Records" }).getByRole("listitem").count(), 1);
  await page.getByLabel("Kind").selectOption({ label: "All kinds" });
  await page.getByLabel("Tag").fill("city:leeds");
  await page.getByLabel("Tag").press("Enter");
  await page.getByText("No records", { exact: true }).waitFor();
  await note("Elsewhere", { tags: ["city:york"] });
  await note("Market", { tags: ["city:leeds"] });
  await record("Market").waitFor();
  assert.equal(await record("Elsewhere").count(), 0, "the note before it does not fit");
  await page.getByLabel("Tag").fill("");
  await page.getByLabel("Search").fill("elsewh");
  await page.getByLabel("Search").press("Enter");
  await record("Elsewhere").waitFor();
  assert.equal(await record("Market").count(), 0);
  await look("filtered records");
});

step("a workflow is drawn as it runs, and each step shows what it was given and answered", async () => {
  await page.goto(at("/activity/workflows"));
  await page.getByText("No workflows yet").waitFor();
  await look("no workflows");
  await ask(page, "POST", "/tools/register", {
    endpoint: `http://127.0.0.1:${vendor.address().port}/stock`,
    manifest: {
      name: "shop.stock",
      title: "Stock",
      description: "How many are left",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      capability: "read",
      timeoutMs: 120_000,
      retryPolicy: { maxAttempts: 1 },
      idempotent: true,
    },
  });
  const asked = once(vendor, "request");
  const running = runWorkflow([
    { id: "stock", tool: "shop.stock", input: {} },
    { id: "double", tool: "calculator", input: { expression: `\${stock.stock} * 2` }, dependencies: ["stock"] },
  ]);
  await asked;
  await stepBox("stock").getByText("shop.stock · Running").waitFor();
  await stepBox("double").getByText("calculator · Not started").waitFor();
  await stepBox("double").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "double" }).getByText("double · calculator").waitFor();
  vendor.answer();
  await running;
  await stepBox("double").getByText("calculator · Done").waitFor();
  const details = page.getByRole("region", { name: "double" });
  await details.getByText('"expression": "7 * 2"').waitFor();
  await details.getByText('"result": 14').waitFor();
  await look("a workflow that is done");
});

step("a step that failed says why in plain words, and those after it are skipped", async () => {
  // A workflow with a failed step answers with an error.
  visitor.expectRefusal(422);
  await runWorkflow([
    { id: "divide", tool: "calculator", input: { expression: "nothing + 1" } },
    { id: "after", tool: "echo", input: { message: `\${divide.result}` }, dependencies: ["divide"] },
  ]).catch(() => undefined);
  await stepBox("after").getByText("echo · Skipped").waitFor();
  await stepBox("after").click();
  await page.getByRole("region", { name: "after" }).getByText("because it needs “divide”, which failed").waitFor();
  await stepBox("divide").click();
  await page.getByRole("region", { name: "divide" }).getByText("“nothing”").waitFor();
  await look("a workflow that failed");
});
