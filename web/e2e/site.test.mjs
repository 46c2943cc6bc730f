// The site as several hands work on it at once: two tabs and the command line, with and without a network.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { setUp, stepsOf } from "./steps.mjs";

const HTML =
  '<main style="max-width:40rem;margin:3rem auto;font-family:sans-serif"><h1 style="font-size:3rem">Good bread</h1>' +
  '<p>Baked <b>every</b> morning.</p><p><a href="/order">Order now</a></p></main>';

let product;
let browser;
let visitor;
let page;

before(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
  visitor = await openVisitor(browser);
  page = visitor.page;
  await setUp(page, product);
  await page.getByRole("link", { name: "Site", exact: true }).click();
  await saved(page);
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
  }
});

const canvas = (tab) => tab.frameLocator("iframe[data-frame=desktop]");
const heading = (tab) => canvas(tab).getByRole("heading", { level: 1 });
const saved = (tab) => tab.getByText("Saved", { exact: true }).waitFor();

/** Writes over a text as a person does: a click selects it, another opens it, everything selected, typed over. */
async function write(tab, text, words) {
  await text.click();
  await text.click();
  await tab.keyboard.press("ControlOrMeta+a");
  await tab.keyboard.type(words);
}

const step = stepsOf("site", () => visitor);

step("what a tool makes from the command line shows in the open page", async () => {
  const { documents } = await product.callTool("list_documents", {});
  const [{ document }] = documents;
  const home = await product.callTool("read_document", { document });
  const [, root] = /<body[^>]* uid="(\w+)"/.exec(JSON.stringify(home).replaceAll('\\"', '"')) ?? [];
  assert.ok(root, JSON.stringify(home));
  await product.callTool("insertHtml", { parentId: root, html: HTML });
  await heading(page).getByText("Good bread").waitFor();
  await assertFits(page, "site");
  await assertAccessible(page, "site");
});

step("two tabs and the command line edit one page and come to the same", async () => {
  const other = await visitor.context.newPage();
  await other.goto(page.url());
  await heading(other).getByText("Good bread").waitFor();
  await write(page, heading(page), "Better bread");
  await page.keyboard.press("Enter");
  await heading(other).getByText("Better bread").waitFor();
  await write(other, canvas(other).getByText("every"), "each");
  await other.keyboard.press("Enter");
  await canvas(page).getByText("each").waitFor();
  const link = canvas(page).getByRole("link");
  const id = await link.getAttribute("data-sw-node");
  await product.callTool("updateNodeProps", { nodeId: id, patch: { text: "Order today" } });
  for (const tab of [page, other]) {
    await canvas(tab).getByText("Order today").waitFor();
    await saved(tab);
  }
  const shown = (tab) => canvas(tab).locator("body").textContent();
  assert.equal(await shown(page), await shown(other));
  await other.close();
});

step("a text that has the focus is edited with the keyboard, and undone", async () => {
  await heading(page).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Fine bread");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await heading(page).getByText("Fine bread").waitFor();
  await saved(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await heading(page).getByText("Better bread").waitFor();
  await page.getByRole("button", { name: "Redo" }).click();
  await heading(page).getByText("Fine bread").waitFor();
});

step("what is written without a network survives a reload and is saved once", async () => {
  visitor.expectRefusal("net::ERR_INTERNET_DISCONNECTED");
  visitor.expectRefusal("net::ERR_NETWORK_CHANGED");
  await visitor.context.setOffline(true);
  await write(page, heading(page), "Bread by night");
  await page.keyboard.press("Enter");
  await page.getByText("Offline: 1 change waiting").waitFor();
  // The page itself must come from the server again; its changes may not go out yet.
  await page.route("**/admin/api/site/changes", (route) => route.abort("internetdisconnected"));
  await visitor.context.setOffline(false);
  await page.reload();
  await heading(page).getByText("Bread by night").waitFor();
  await page.getByText("Offline: 1 change waiting").waitFor();
  await visitor.saveScreenshot("site waiting");
  await page.unroute("**/admin/api/site/changes");
  await saved(page);
  const { changes } = await page.evaluate(() => fetch("/admin/api/site/history").then((answer) => answer.json()));
  assert.deepEqual(
    changes.filter(({ summary }) => summary === "Changed text to “Bread by night”").length,
    1,
    JSON.stringify(changes.map(({ summary }) => summary)),
  );
});

step("a text that somebody changed meanwhile is told with both versions", async () => {
  visitor.expectRefusal(409);
  const id = await heading(page).getAttribute("data-sw-node");
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route("**/admin/api/site/changes", async (route) => {
    await held;
    await route.continue();
  });
  await write(page, heading(page), "Mine");
  await page.keyboard.press("Enter");
  await product.callTool("updateNodeProps", { nodeId: id, patch: { text: "Theirs" } });
  release();
  const title = page.getByRole("alert").filter({ hasText: "Someone else changed this text" });
  await title.waitFor();
  await heading(page).getByText("Theirs").waitFor();
  await assertAccessible(page, "site with a conflict");
  await visitor.saveScreenshot("site conflict");
  await page.unroute("**/admin/api/site/changes");
  await page.getByRole("button", { name: "Use mine" }).click();
  await heading(page).getByText("Mine").waitFor();
  await saved(page);
});

step("a refused change is told and taken back", async () => {
  const problem = { status: 403, title: "No", code: "forbidden", detail: "This text is locked." };
  visitor.expectRefusal(403);
  await page.route("**/admin/api/site/changes", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify(problem) })
      : route.continue(),
  );
  await write(page, heading(page), "Not allowed");
  await page.keyboard.press("Enter");
  await page.getByText("Your change was not saved. This text is locked.").waitFor();
  await heading(page).getByText("Mine").waitFor();
  await page.unroute("**/admin/api/site/changes");
  await page.getByRole("button", { name: "Dismiss" }).click();
});

step("it looks right in light and dark and on a small screen", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await visitor.saveScreenshot(`site ${colorScheme}`);
  }
  await page.setViewportSize({ width: 390, height: 780 });
  await assertFits(page, "site on a phone");
  await visitor.saveScreenshot("site phone");
});
