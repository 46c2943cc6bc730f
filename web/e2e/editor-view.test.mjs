// How the editor shows a site: frames that come into view, colours, panels that keep their place, templates, and undo.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { assertAccessible, assertFits, launchBrowser, openVisitor, PATIENCE_MS } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { ANA, ask, setUp, stepsOf } from "./steps.mjs";

let product;
let browser;
let visitor;
let page;

before(async () => {
  [product, browser] = await Promise.all([startProduct(["first_site=example"]), launchBrowser()]);
  visitor = await openVisitor(browser, { width: 1440, height: 900 });
  page = visitor.page;
  await setUp(page, product);
  await open("Home");
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
  }
});

const step = stepsOf("editor view", () => visitor);
const canvas = (width = "desktop") => page.frameLocator(`iframe[data-frame=${width}]`);
const heading = (width) => canvas(width).getByRole("heading", { level: 1 });
const saved = () => page.getByText("Saved", { exact: true }).waitFor();
const tree = () => page.getByRole("tree", { name: "Layers" });
const tab = (name) => page.getByRole("tab", { name });
const button = (name) => page.getByRole("button", { name, exact: true });

async function open(title) {
  await page.goto(`${product.address}/admin/site`);
  await tab("Pages").click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: title }).click();
  await page.getByRole("heading", { name: title, level: 2 }).waitFor();
  await heading().waitFor();
  await saved();
}

/** Waits, frame by frame, until something has a value; what it was last is in the error. */
async function becomes(look, wanted) {
  const end = Date.now() + PATIENCE_MS;
  let last = await look();
  while (!isDeepStrictEqual(last, wanted)) {
    assert.ok(Date.now() < end, `it is still ${JSON.stringify(last)}, not ${JSON.stringify(wanted)}`);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    last = await look();
  }
}

/** How far a frame reaches over the edges of the board; nothing when all of its width is in view. */
const beyond = (width) =>
  page.evaluate((width) => {
    const board = document.querySelector("[aria-label=Canvas]").getBoundingClientRect();
    const frame = document.querySelector(`iframe[data-frame=${width}]`).getBoundingClientRect();
    return Math.max(0, Math.round(board.left - frame.left), Math.round(frame.right - board.right));
  }, width);
const percent = () => page.getByTitle("Zoom to 100%").textContent();

step("a frame that is chosen comes into view, and a window that is resized fits it again", async () => {
  for (const [label, width] of [
    ["Mobile", "mobile"],
    ["Desktop", "desktop"],
    ["Tablet", "tablet"],
    ["Desktop", "desktop"],
  ]) {
    await page.getByRole("group", { name: "Width" }).getByRole("button", { name: label }).click();
    await becomes(() => beyond(width), 0);
  }
  const before = await percent();
  await page.setViewportSize({ width: 768, height: 900 });
  await becomes(() => page.locator("iframe[data-frame]").count(), 1);
  await page.setViewportSize({ width: 1440, height: 900 });
  await becomes(percent, before);
  await becomes(() => beyond("desktop"), 0);
});

step("all frames fit by a button", async () => {
  await button("Fit all frames").click();
  for (const width of ["desktop", "tablet", "mobile"]) await becomes(() => beyond(width), 0);
  await button("Fit the frame").click();
});

step("the canvas shows the dark design, and what is changed there stays dark", async () => {
  const ground = () =>
    canvas()
      .locator("body")
      .evaluate((body) => getComputedStyle(body).backgroundColor);
  const light = await ground();
  await button("Show the dark design").click();
  await becomes(async () => (await ground()) !== light, true);
  const dark = await ground();
  const id = await heading().getAttribute("data-sw-node");
  await product.callTool("updateNodeProps", { nodeId: id, patch: { text: "Things made in the dark" } });
  await heading().getByText("Things made in the dark").waitFor();
  assert.equal(await ground(), dark);
  await assertAccessible(page, "a dark canvas");
  await button("Show the dark design").click();
  await becomes(ground, light);
});

step("what this tab undoes is not somebody else's, and undo goes on after a reload", async () => {
  const text = heading();
  const before = await text.textContent();
  await text.click();
  await text.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Undone twice");
  await page.keyboard.press("Enter");
  await saved();
  await page.evaluate(() => {
    window.seen = [];
    new MutationObserver(() => {
      if (document.body.textContent.includes("in another tab")) window.seen.push("another tab");
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.keyboard.press("ControlOrMeta+z");
  await text.getByText(before).waitFor();
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await text.getByText("Undone twice").waitFor();
  assert.deepEqual(await page.evaluate(() => window.seen), []);
  await page.reload();
  await text.getByText("Undone twice").waitFor();
  await becomes(() => button("Undo").isEnabled(), true);
  await button("Undo").click();
  await text.getByText(before).waitFor();
});

step("a restore is undone by one undo, without a notice", async () => {
  const text = heading();
  const before = await text.textContent();
  const id = await text.getAttribute("data-sw-node");
  await product.callTool("updateNodeProps", { nodeId: id, patch: { text: "Soon restored" } });
  await text.getByText("Soon restored").waitFor();
  await button("History").click();
  const drawer = page.getByRole("dialog", { name: "History" });
  await drawer.locator("summary").nth(1).click();
  await drawer
    .getByRole("button", { name: /^Restore/ })
    .first()
    .click();
  const question = page.getByRole("dialog", { name: /^Restore the site/ });
  await question.getByRole("button", { name: /^Restore/ }).click();
  await question.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await text.getByText(before).waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await text.getByText("Soon restored").waitFor();
  assert.equal(await page.getByText("could not be undone").count(), 0);
});

step("keys move the focus into pages and layers, and open layers stay open", async () => {
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute("role") ?? document.activeElement?.getAttribute("aria-current"),
    );
  await page.keyboard.press("Alt+l");
  await becomes(focused, "tree");
  await page.keyboard.press("ArrowRight");
  await becomes(async () => (await tree().getByRole("treeitem", { expanded: true }).count()) > 0, true);
  const rows = await tree().getByRole("treeitem").count();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Alt+p");
  await becomes(focused, "page");
  await page.keyboard.press("Alt+l");
  await becomes(() => tree().getByRole("treeitem").count(), rows);
});

step("the canvas follows an element that is moved by keys", async () => {
  const section = canvas().locator("main > section").first();
  await section.click({ position: { x: 5, y: 5 } });
  const inView = () =>
    page.evaluate(() => {
      const board = document.querySelector("[aria-label=Canvas]").getBoundingClientRect();
      const outline = document.querySelector("[data-active=true] [data-look=selected]")?.getBoundingClientRect();
      return outline !== undefined && outline.top >= board.top - 1 && outline.top < board.bottom;
    });
  for (let times = 0; times < 3; times++) await page.keyboard.press("Alt+ArrowDown");
  await saved();
  await becomes(inView, true);
  for (let times = 0; times < 3; times++) await page.keyboard.press("Alt+ArrowUp");
  await saved();
  await becomes(inView, true);
});

step("a part of a template says so where it is changed, and its tag stays in the frame", async () => {
  await page.keyboard.press("Alt+p");
  const { documents } = await product.callTool("list_documents", {});
  const template = documents.find(({ title }) => title === "Header and footer");
  const html = '<p style="text-align: right"><a href="/edge">Edge</a></p>';
  await product.callTool("insertHtml", { parentId: template.rootNodeId, html });
  await canvas().getByRole("link", { name: "Edge" }).click();
  await page
    .getByText("This is part of the template “Header and footer”. Changes show on every page that uses it.")
    .waitFor();
  const tag = page.locator("[data-active=true] [data-look=selected]").getByRole("button", { name: "Open template" });
  const frame = await page.locator("iframe[data-frame=desktop]").boundingBox();
  const box = await tag.boundingBox();
  assert.ok(box.x + box.width <= frame.x + frame.width + 1, "the tag ends within the frame");
  await tag.click();
  await page.getByRole("heading", { name: "Header and footer", level: 2 }).waitFor();
});

step("a template is called one, and shows where pages go", async () => {
  const bar = page
    .getByRole("banner")
    .filter({ has: page.getByRole("heading", { name: "Header and footer", level: 2 }) });
  await page
    .locator("header")
    .filter({ hasText: "Header and footer" })
    .getByText("Template", { exact: true })
    .waitFor();
  await canvas().getByText("Page content goes here").waitFor();
  assert.equal(await bar.locator("code").count(), 0);
  await open("Home");
  assert.equal(await canvas().getByText("Page content goes here").count(), 0);
});

step("a page that is removed while it is open takes its address with it", async () => {
  const made = await product.callTool("addPage", { title: "Short-lived" });
  await page.goto(`${product.address}/admin/site/${made.pageId}`);
  await page.getByRole("heading", { name: "Short-lived", level: 2 }).waitFor();
  await saved();
  const [{ id: change }] = (await ask(page, "GET", "/admin/api/site/history")).changes;
  await ask(page, "POST", "/admin/api/site/reverts", { id: "removed-again", change });
  await page.getByText("The page “Short-lived” no longer exists.").waitFor();
  await page.waitForURL((url) => !url.pathname.endsWith(made.pageId));
});

step("Escape in the picture library leaves the settings open, and unsaved changes are asked about", async () => {
  await open("Home");
  await button("Page settings").click();
  const settings = page.getByRole("dialog", { name: /Home/ });
  await settings.getByLabel("Title").fill("Home, but better");
  await settings.getByRole("button", { name: "Library" }).click();
  const library = page.getByRole("dialog", { name: "Choose a picture" });
  await library.waitFor();
  await page.keyboard.press("Escape");
  await library.waitFor({ state: "detached" });
  assert.equal(await settings.getByLabel("Title").inputValue(), "Home, but better");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  for (let times = 0; times < 2; times++) {
    await page.keyboard.press("Escape");
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    assert.equal(await settings.getByLabel("Title").inputValue(), "Home, but better");
  }
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard changes" }).click();
  await settings.waitFor({ state: "detached" });
  await button("Page settings").click();
  assert.equal(await settings.getByLabel("Title").inputValue(), "Home");
  await page.keyboard.press("Escape");
  await settings.waitFor({ state: "detached" });
});

step("the icons of the rail are in line, and the bars have one row each on a tablet", async () => {
  const middles = await page.evaluate(() =>
    [...document.querySelectorAll("header[data-open] :is(a, button)")]
      .filter((control) => control.getClientRects().length > 0)
      .map((control) => {
        const box = (control.querySelector("svg") ?? control.firstElementChild).getBoundingClientRect();
        return Math.round(box.left + box.width / 2);
      }),
  );
  assert.deepEqual([...new Set(middles)].length, 1, middles.join(" "));
  await page.setViewportSize({ width: 768, height: 900 });
  await assertFits(page, "editor at 768");
  const rows = () =>
    page.evaluate(() => {
      const title = document.querySelector("#page-title").getBoundingClientRect();
      const publish = [...document.querySelectorAll("button")].find((one) => one.textContent === "Publish");
      const box = publish.getBoundingClientRect();
      return box.top < title.bottom && box.bottom > title.top && window.innerWidth - box.right < 24;
    });
  await becomes(rows, true);
  await page.setViewportSize({ width: 1440, height: 900 });
});

step(
  "bars, panels and dialogs leave no gutter where scrollbars take room, and the star of a phone is at the end",
  async () => {
    const desktop = await launchBrowser({ withScrollbars: true });
    try {
      const other = await openVisitor(desktop, { width: 1440, height: 900 });
      const tab = other.page;
      await tab.goto(`${product.address}/admin/sign-in`);
      await tab.getByLabel("Email").fill(ANA.email);
      await tab.getByLabel("Password", { exact: true }).fill(ANA.password);
      await tab.getByRole("button", { name: "Sign in" }).click();
      await tab.waitForURL((address) => !address.pathname.endsWith("/sign-in"));
      await tab.goto(`${product.address}/admin/site`);
      await tab.getByText("Saved", { exact: true }).waitFor();
      const toEdge = (locator) => locator.evaluate((one) => Math.round(innerWidth - one.getBoundingClientRect().right));
      await tab.getByRole("button", { name: "Page settings", exact: true }).click();
      const aside = await tab.getByRole("dialog").evaluate((dialog) => {
        const { left, right } = dialog.getBoundingClientRect();
        return Math.abs(left - (innerWidth - right));
      });
      assert.ok(aside <= 1, `the dialog is ${aside} px off the centre`);
      await tab.keyboard.press("Escape");
      await tab.keyboard.press("ControlOrMeta+i");
      await tab.getByRole("complementary", { name: "Assistant" }).waitFor();
      assert.equal(await toEdge(tab.getByRole("complementary", { name: "Assistant" })), 0);
      await tab.keyboard.press("ControlOrMeta+i");
      for (const width of [768, 390]) {
        await tab.setViewportSize({ width, height: 800 });
        assert.equal(await toEdge(tab.locator("header[data-open]")), 0, `at ${width} px`);
      }
      const [star, menu] = await Promise.all(
        ["Assistant", "Open menu"].map((name) => tab.getByRole("button", { name, exact: true }).first().boundingBox()),
      );
      assert.ok(menu.x - (star.x + star.width) < 16, "the star is beside the menu");
      await other.finish();
    } finally {
      await desktop.close();
    }
  },
);
