// The assistant's panel with the built-in commands: what stays in view, what a plan leaves behind, and what is taken back.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { setUp, stepsOf } from "./steps.mjs";

let product;
let browser;
let visitor;
let page;

before(async () => {
  [product, browser] = await Promise.all([startProduct(["first_site=example"]), launchBrowser()]);
  visitor = await openVisitor(browser, { width: 1440, height: 900 });
  page = visitor.page;
  await setUp(page, product);
  await page.goto(`${product.address}/admin/site`);
  await page.getByText("Saved", { exact: true }).waitFor();
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
  }
});

const step = stepsOf("agent panel", () => visitor);
const panel = () => page.getByRole("complementary", { name: "Assistant" });
const log = () => panel().getByRole("log");
const message = () => panel().getByLabel("Message");
const button = (name) => panel().getByRole("button", { name, exact: true });
const canvas = () => page.frameLocator("iframe[data-frame=desktop]");
const turns = () => log().getByRole("article");
const closing = () => panel().getByRole("group", { name: "What changed" });
const revert = () => closing().getByRole("button", { name: "Revert these changes" });

async function ask(text) {
  const before = await turns().count();
  await message().fill(text);
  await message().press("Enter");
  await turns().nth(before).waitFor();
  // While a turn is under way, it can be stopped.
  await button("Stop").waitFor({ state: "detached" });
}

const scrolled = () => log().evaluate((element) => element.scrollTop);
const belowEnd = () => log().evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);

async function until(isSo) {
  while (!(await isSo())) await page.evaluate(() => new Promise(requestAnimationFrame));
}

step("the panel opens at its top, and so does the list of commands", async () => {
  await page.keyboard.press("ControlOrMeta+i");
  await panel().getByRole("heading", { name: "Connect an AI provider" }).waitFor();
  assert.equal(await scrolled(), 0);
  await button("All commands").click();
  await until(async () => (await panel().locator("section h4").count()) > 3);
  const [first] = await panel().locator("section h4").all();
  const [box, room] = await Promise.all([first.boundingBox(), log().boundingBox()]);
  assert.ok(box.y >= room.y && box.y < room.y + room.height, "the first group is in view");
  await button("All commands").click();
  await button("Use the built-in commands").click();
});

step("a long selection leaves Send where it is, at every width", async () => {
  const text = canvas().getByText("We throw, fire and glaze tableware by hand", { exact: false }).first();
  await text.click();
  await panel()
    .getByText(/^Selected: /)
    .waitFor();
  for (const width of [1440, 1280, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of ["Send", "Plan first", "Leave out the selected element"]) {
      const box = await button(name).boundingBox();
      assert.ok(box.x + box.width <= width, `${name} ends at ${box.x + box.width} of ${width}`);
    }
  }
  await assertFits(page, "a long selection");
  await page.setViewportSize({ width: 1440, height: 900 });
  await button("Leave out the selected element").click();
});

step("the conversation follows what is said, and stays where somebody reads back", async () => {
  const questions = ["list all pages", "what colours do we use?", "show all headings", "what's in the menu?", "help"];
  for (const question of questions) {
    await ask(question);
    await until(async () => (await belowEnd()) < 80);
  }
  await log().hover();
  await page.mouse.wheel(0, -600);
  await until(async () => (await belowEnd()) > 300);
  const before = await scrolled();
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.equal(await scrolled(), before);
  await ask("list all pages");
  await until(async () => (await belowEnd()) < 80);
});

step("a plan that is accepted leads to its page, which is whole, and cannot be accepted again", async () => {
  await button("Plan first").click();
  await ask("build a landing page with hero and pricing");
  await button("Plan first").click();
  const plan = panel().getByRole("group", { name: "The plan" });
  await plan.getByRole("button", { name: "Accept all" }).click();
  await plan.getByText(/applied\.$/).waitFor();
  await closing().getByRole("link").first().click();
  await canvas().locator("main section").first().waitFor();
  await assertAccessible(page, "an accepted plan");
  await page.reload();
  await plan.getByText(/applied\.$/).waitFor();
  assert.equal(await plan.getByRole("button", { name: /^Accept/ }).count(), 0);
  await closing().getByRole("link").first().waitFor();
  await revert().click();
  await closing().getByText("These changes were reverted.").waitFor();
});

step("a request that is undone, by words or by a key, no longer offers to be reverted", async () => {
  await page.goto(`${product.address}/admin/site`);
  await page.getByText("Saved", { exact: true }).waitFor();
  await ask("change the heading to Hello");
  await canvas().getByRole("heading", { name: "Hello", level: 1 }).waitFor();
  assert.equal(await revert().count(), 1);
  await ask("undo that");
  await canvas().getByRole("heading", { name: "Hello", level: 1 }).waitFor({ state: "detached" });
  await revert().waitFor({ state: "detached" });

  await ask("change the heading to Hello again");
  await canvas().getByRole("heading", { name: "Hello again", level: 1 }).waitFor();
  await revert().waitFor();
  await page.getByRole("region", { name: "Canvas" }).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await canvas().getByRole("heading", { name: "Hello again", level: 1 }).waitFor({ state: "detached" });
  await revert().waitFor({ state: "detached" });
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await canvas().getByRole("heading", { name: "Hello again", level: 1 }).waitFor();
  await revert().waitFor();
});
