// The first hour of somebody new, from an empty data folder to a published site and back, with the built-in commands alone.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { setUp, stepsOf } from "./steps.mjs";

let product;
let browser;
let visitor;
let page;

before(async () => {
  [product, browser] = await Promise.all([startProduct(["first_site=example"]), launchBrowser()]);
  visitor = await openVisitor(browser);
  page = visitor.page;
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
  }
});

const step = stepsOf("story", () => visitor);

/** The sample text of the hero. */
const HEADLINE = "A headline people remember";
const REQUEST = "build a landing page with hero, pricing and footer";
const panel = () => page.getByRole("complementary", { name: "Assistant" });
const message = () => panel().getByLabel("Message");
const closing = () => panel().getByRole("group", { name: "What changed" }).last();
const canvas = () => page.frameLocator("iframe[data-frame=desktop]");
const headline = () => canvas().getByRole("heading", { level: 1 });
const saved = () => page.getByText("Saved", { exact: true }).waitFor();

async function ask(text) {
  await message().fill(text);
  await message().press("Enter");
}

/** What a visitor gets. */
async function published(path) {
  const response = await fetch(product.address + path);
  return { status: response.status, html: await response.text() };
}

step("a new installation is set up, and there is a site to look at", async () => {
  await setUp(page, product);
  await page.getByRole("link", { name: "Site", exact: true }).click();
  await headline().waitFor();
  await saved();
});

step("the built-in commands build a landing page, and it appears", async () => {
  await page.keyboard.press("ControlOrMeta+i");
  await panel().getByRole("button", { name: "Use the built-in commands" }).click();
  await ask(REQUEST);
  await headline().getByText(HEADLINE).waitFor();
  await canvas().getByText("Your price").first().waitFor();
  await canvas().locator("footer").waitFor();
  await closing().getByText("Landing").first().waitFor();
});

step("a heading is changed by hand, and undone", async () => {
  await headline().click();
  await headline().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Bread for the harbour");
  await page.keyboard.press("Enter");
  await saved();
  await headline().getByText("Bread for the harbour").waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await headline().getByText(HEADLINE).waitFor();
  await saved();
});

step("the turn is reverted, and the same request builds the page again", async () => {
  await closing().getByRole("button", { name: "Revert these changes" }).click();
  await closing().getByText("These changes were reverted.").waitFor();
  assert.doesNotMatch(JSON.stringify(await product.callTool("list_documents", {})), /Landing/);
  await ask(REQUEST);
  await headline().getByText(HEADLINE).waitFor();
  await panel().getByText("Working").waitFor({ state: "detached" });
});

step("a plan is looked at and accepted in part", async () => {
  await panel().getByRole("button", { name: "Plan first" }).click();
  await ask("add a page called Team, and a page called Jobs");
  const review = panel().getByRole("group", { name: "The plan" });
  await review.getByLabel("Adds the page “Jobs”.").uncheck();
  await review.getByRole("button", { name: /^Accept / }).click();
  await review.getByText(/steps? applied/).waitFor();
  const documents = JSON.stringify(await product.callTool("list_documents", {}));
  assert.match(documents, /Team/);
  assert.doesNotMatch(documents, /Jobs/);
  await panel().getByRole("button", { name: "Plan first" }).click();
  await page.keyboard.press("ControlOrMeta+i");
});

step("the site is published with its placeholders named, and everybody sees it", async () => {
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByText(/placeholder/)
    .first()
    .waitFor();
  await dialog.getByRole("button", { name: /^Publish \d+ pages$/ }).click();
  await page.getByRole("heading", { name: "Release 1 is published" }).waitFor();
  const { status, html } = await published("/landing");
  assert.equal(status, 200);
  assert.match(html, new RegExp(HEADLINE));
  assert.equal((await published("/")).status, 200);
  await page.keyboard.press("Escape");
});

step("a second release is rolled back", async () => {
  await product.callTool("addPage", { title: "News" });
  await page.goto(`${product.address}/admin/`);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish 1 page" }).click();
  await page.getByRole("heading", { name: "Release 2 is published" }).waitFor();
  assert.equal((await published("/news")).status, 200);
  await page.goto(`${product.address}/admin/activity/releases`);
  await page.getByRole("button", { name: "Roll back to this release (release 1)" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Roll back to this" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal((await published("/news")).status, 404);
  assert.equal((await published("/landing")).status, 200);
});
