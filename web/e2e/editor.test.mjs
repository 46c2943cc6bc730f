// The editor by pointer and by keyboard alone: frames, selection, layers, pages, the palette, templates, and what others change.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertBecomes, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { offerSections } from "./sections.mjs";
import { setUp, stepsOf } from "./steps.mjs";

const HTML = `
  <style>
    .hero { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem; padding: 3rem; font-family: sans-serif; color: #223; }
    .hero h1 { font-size: clamp(2rem, 5vw, 4rem); }
    .cards { display: flex; gap: 1rem; padding: 0 3rem; }
    .card { flex: 1; border: 1px solid #ccc; border-radius: 12px; padding: 1rem; }
    @media (max-width: 768px) { .hero { grid-template-columns: 1fr; padding: 1rem; } .cards { display: block; } }
  </style>
  <main><section class="hero"><h1>Good bread</h1> <p>Baked <b>every</b> morning.</p> <a href="/order">Order now</a></section>
  <section class="cards"><article class="card"><h2>Rye</h2></article> <article class="card"><h2>Spelt</h2></article></section></main>`;

let product;
let browser;
let visitor;
let page;

before(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
  visitor = await openVisitor(browser);
  page = visitor.page;
  await offerSections(visitor.context);
  await setUp(page, product);
  const made = await product.callTool("addPage", { title: "Bakery" });
  await product.callTool("insertHtml", { parentId: made.rootNodeId, html: HTML });
  await page.goto(`${product.address}/admin/site/${made.pageId}`);
  await heading().waitFor();
  await saved();
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
  }
});

const canvas = (width = "desktop") => page.frameLocator(`iframe[data-frame=${width}]`);
const heading = (width) => canvas(width).getByRole("heading", { level: 1 });
const saved = () => page.getByText("Saved", { exact: true }).waitFor();
const tree = () => page.getByRole("tree", { name: "Layers" });
const row = (name) => tree().getByRole("treeitem", { name });
const selectedRow = () => tree().getByRole("treeitem", { selected: true });
const path = () => page.getByRole("navigation", { name: "Element path" });
const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

const options = () => page.getByRole("listbox").getByRole("option");

/** Does an action by its name, without a pointer. */
async function command(name) {
  await press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Find an action, page or element" }).fill(name);
  await options().filter({ hasText: name }).first().waitFor();
  await press("Enter");
  await page.getByRole("combobox", { name: "Find an action, page or element" }).waitFor({ state: "detached" });
}

const step = stepsOf("editor", () => visitor);

step("the page is shown at each width, as wide as it says, and as tall as it is", async () => {
  for (const [width, columns] of [
    ["desktop", 2],
    ["tablet", 1],
    ["mobile", 1],
  ]) {
    await heading(width).waitFor({ state: "attached" });
    const shown = await canvas(width)
      .locator(".hero")
      .evaluate((hero) => getComputedStyle(hero).gridTemplateColumns.split(" ").length);
    assert.equal(shown, columns, width);
  }
  const overflow = await canvas("mobile")
    .locator("html")
    .evaluate((html) => html.scrollHeight - html.clientHeight);
  assert.equal(overflow, 0);
});

step("Home and End go to the first and the last tab", async () => {
  const tab = (name) => page.getByRole("tab", { name, selected: true });
  await page.getByRole("tab", { name: "Layers" }).focus();
  await press("Home");
  await tab("Pages").waitFor();
  await press("End");
  await tab("Insert").waitFor();
});

step("a click selects, and canvas, layers and path mean the same", async () => {
  await page.getByRole("tab", { name: "Layers" }).click();
  await heading().click();
  await selectedRow().getByText("Good bread").waitFor();
  assert.match(await path().textContent(), /Main.*Hero.*Heading/s);
  await press("Escape");
  await selectedRow().getByText("Hero").waitFor();
  await heading().click({ modifiers: ["Alt"] });
  await selectedRow().getByText("Main").waitFor();
  await heading().click();
  await path().getByRole("button", { name: "Hero" }).click();
  await selectedRow().getByText("Hero").waitFor();
});

step("a second click writes, and the other frames follow while it is written", async () => {
  await heading().click();
  await heading().click();
  await press("ControlOrMeta+a");
  await page.keyboard.type("Better bread");
  await heading("mobile").getByText("Better bread").waitFor({ state: "attached" });
  // Keys belong to the text while it is written.
  await page.keyboard.type("?");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await press("Backspace", "Enter");
  await saved();
  assert.equal(await heading().textContent(), "Better bread");
});

step("the layers are walked, renamed and moved with the keyboard", async () => {
  await tree().focus();
  await press("Home");
  await selectedRow().getByText("Main").waitFor();
  await press("ArrowRight", "ArrowRight", "ArrowDown");
  await press("End");
  const last = await selectedRow().textContent();
  await press("Home", "ArrowLeft");
  assert.equal(await tree().getByRole("treeitem").count(), 1, last);
  await press("ArrowRight");
  await page.keyboard.type("section");
  await selectedRow().getByText("Rye").waitFor();
  await press("F2");
  await page.keyboard.type("Cards of today");
  await press("Enter");
  await row("Cards of today").waitFor();
  await saved();
  await press("Alt+ArrowUp");
  await assertTexts(["Rye", "Spelt", "Better bread"]);
  await press("Alt+ArrowDown");
  await assertTexts(["Better bread", "Rye", "Spelt"]);
});

const assertTexts = (wanted) =>
  assertBecomes(
    page,
    () => {
      const frame = document.querySelector("iframe[data-frame=desktop]").contentDocument;
      return [...frame.querySelectorAll("h1, h2")].map((one) => one.textContent);
    },
    undefined,
    wanted,
  );

step("a layer is dragged to another place", async () => {
  await press("ArrowRight");
  const [from, to] = [row(/Article.*/).nth(1), row(/Article.*/).first()];
  const [a, b] = [await from.boundingBox(), await to.boundingBox()];
  await page.mouse.move(a.x + 90, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(a.x + 90, b.y + b.height / 2, { steps: 4 });
  await page.mouse.move(b.x + 90, b.y + 3, { steps: 2 });
  await page.mouse.up();
  await assertTexts(["Better bread", "Spelt", "Rye"]);
  await saved();
  await press("ControlOrMeta+z");
  await assertTexts(["Better bread", "Rye", "Spelt"]);
});

step("a layer is dragged with a finger by its grip, and Escape puts it back", async () => {
  const touch = await page.context().newCDPSession(page);
  await touch.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 1 });
  const [from, to] = [row(/Article.*/).nth(1), row(/Article.*/).first()];
  const [a, b] = [await from.boundingBox(), await to.boundingBox()];
  const at = (y) => [{ x: a.x + a.width - 12, y }];
  const send = (type, touchPoints) => touch.send("Input.dispatchTouchEvent", { type, touchPoints });
  const drag = async () => {
    await send("touchStart", at(a.y + a.height / 2));
    await send("touchMove", at(a.y));
    await send("touchMove", at(b.y + 3));
    await tree().locator("[data-drop=before]").waitFor();
  };
  await drag();
  await press("Escape");
  await tree().locator("[data-drop]").waitFor({ state: "detached" });
  await send("touchEnd", []);
  await drag();
  await send("touchEnd", []);
  await assertTexts(["Better bread", "Spelt", "Rye"]);
  await touch.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await touch.detach();
  await saved();
  await press("ControlOrMeta+z");
  await assertTexts(["Better bread", "Rye", "Spelt"]);
});

step("everything about an element is done with the keyboard alone", async () => {
  await saved();
  await row(/Heading.*Better bread/).click();
  await press("ControlOrMeta+d");
  await assertTexts(["Better bread", "Better bread", "Rye", "Spelt"]);
  await press("Delete");
  await assertTexts(["Better bread", "Rye", "Spelt"]);
  await press("ArrowUp");
  await selectedRow().getByText("Better bread").waitFor();
  await command("Hide");
  await assertTexts(["Rye", "Spelt"]);
  await row(/Heading.*Better bread.*Hidden/).waitFor();
  await tree().focus();
  await command("Unhide");
  await assertTexts(["Better bread", "Rye", "Spelt"]);
  await command("For agents: ask first");
  await row(/Heading.*Better bread.*ask first/).waitFor();
  await tree().focus();
  await press("Shift+F10");
  await page.getByRole("menuitem", { name: "Edit text" }).waitFor();
  await assertAccessible(page, "the menu of an element");
  await press("End");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^Delete/);
  await press("Home", "Enter");
  await page.keyboard.type("Fine bread");
  await press("Enter");
  await assertTexts(["Fine bread", "Rye", "Spelt"]);
  await saved();
  await press("ControlOrMeta+z");
  await assertTexts(["Better bread", "Rye", "Spelt"]);
  await page.getByRole("button", { name: "Redo", disabled: false }).waitFor();
  await press("ControlOrMeta+Shift+z");
  await assertTexts(["Fine bread", "Rye", "Spelt"]);
});

step("the palette goes to pages and elements, and knows every shortcut that the list of them has", async () => {
  await command("Spelt");
  await selectedRow().getByText("Spelt").waitFor();
  await press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor();
  await assertAccessible(page, "shortcuts");
  const listed = await dialog.locator("dt").allTextContents();
  assert.ok(listed.length > 15, listed.join());
  await press("Escape");
  await press("ControlOrMeta+k");
  await options().first().waitFor();
  await assertAccessible(page, "palette");
  const offered = await options().allTextContents();
  const wanted = ["Add a page", "Page settings", "Preview", "Site settings", "History", "Publish the site", "New chat"];
  for (const name of [...wanted, ...listed]) {
    if (name.startsWith("Find")) continue;
    // What cannot be done now is not offered.
    if (["Redo", "Move up", "Move down"].includes(name)) continue;
    assert.ok(
      offered.some((text) => text.startsWith(name)),
      `${name} is not among ${offered.join(" | ")}`,
    );
  }
  await press("Escape");
});

/** Makes the active frame fit its room. */
async function fits() {
  await press("Alt+1");
  await page.waitForFunction(() => {
    const board = document.querySelector("section[aria-label=Canvas]").getBoundingClientRect();
    const frame = document.querySelector("iframe[data-frame=desktop]").getBoundingClientRect();
    return frame.width < board.width && frame.left > board.left;
  });
}

step("the zoom follows keys, the wheel and the room", async () => {
  const zoom = () => page.getByTitle("Zoom to 100%").textContent();
  await press("ControlOrMeta+0");
  assert.equal(await zoom(), "100%");
  await press("ControlOrMeta+-");
  assert.equal(await zoom(), "90%");
  await heading().hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await page.waitForFunction(() => document.querySelector("[title='Zoom to 100%']").textContent !== "90%");
  await fits();
});

step("the board is pulled with the middle button, and a click beside everything selects nothing", async () => {
  await press("ControlOrMeta+0");
  const scrolled = () =>
    page.getByRole("region", { name: "Canvas" }).evaluate((board) => [board.scrollLeft, board.scrollTop]);
  const before = await scrolled();
  await heading().hover();
  await page.mouse.down({ button: "middle" });
  await page.mouse.move(500, 300, { steps: 3 });
  await page.mouse.up({ button: "middle" });
  assert.notDeepEqual(await scrolled(), before);
  await fits();
  const frame = await page.locator("iframe[data-frame=desktop]").boundingBox();
  await page.mouse.click(frame.x + frame.width / 2, frame.y + frame.height - 8);
  await page.getByText("Click to select, click again to edit.").waitFor();
});

step("a page that grows with its window gets one to scroll in, and the outline goes along", async () => {
  const bakery = page.url();
  const made = await product.callTool("addPage", { title: "Tall" });
  const html = '<section style="min-height:100vh">One</section><p style="margin:400px 0">Two</p><p>Three</p>';
  await product.callTool("insertHtml", { parentId: made.rootNodeId, html });
  await page.goto(`${product.address}/admin/site/${made.pageId}`);
  const last = canvas().getByText("Three");
  await last.waitFor();
  const frame = page.locator("iframe[data-frame=desktop]");
  await page.waitForFunction(() => document.querySelector("iframe[data-frame=desktop]").clientHeight === 900);
  await last.click();
  const outline = page.locator("[data-active=true] [data-look=selected]");
  await outline.waitFor();
  const apart = async () => {
    const [one, other] = [await outline.boundingBox(), await last.boundingBox()];
    return Math.abs(one.y - other.y);
  };
  assert.ok((await apart()) < 2);
  const down = await frame.evaluate((element) => element.contentWindow.scrollY);
  assert.ok(down > 0, "it was scrolled to");
  const { y } = await outline.boundingBox();
  await frame.evaluate((element) => element.contentWindow.scrollBy(0, -60));
  await page.waitForFunction((was) => {
    const shown = document.querySelector("[data-active=true] [data-look=selected]");
    return Math.abs(shown.getBoundingClientRect().top - was) > 10;
  }, y);
  assert.ok((await apart()) < 2);
  await page.goto(bakery);
  await heading().waitFor();
  await saved();
});

step("pages are added, renamed, duplicated, made the home page and deleted", async () => {
  await command("Add a page");
  await page.getByLabel("Title").fill("Menu");
  await press("Enter");
  await page.getByRole("heading", { name: "Menu", level: 2 }).waitFor();
  await saved();
  await page.getByRole("tab", { name: "Pages" }).click();
  const list = page.getByRole("navigation", { name: "Pages" });
  await list.getByRole("link", { name: /Menu/ }).waitFor();
  await list.getByRole("button", { name: "Actions for Menu" }).click();
  await assertAccessible(page, "the menu of a page");
  await page.getByRole("menuitem", { name: "Rename", exact: true }).click();
  await page.getByLabel("Title").fill("What we bake");
  await page.getByLabel("Address").fill("bakes");
  await press("Enter");
  await list.getByRole("link", { name: /What we bake.*\/bakes/ }).waitFor();
  await command("Duplicate this page");
  await press("Enter");
  await list.getByRole("link", { name: /What we bake copy/ }).waitFor();
  await command("Make this the home page");
  await list.getByRole("link", { name: /What we bake copy\s*\/$/ }).waitFor();
  await command("Delete this page");
  await page.getByRole("button", { name: "Delete page" }).click();
  await list.getByRole("link", { name: /What we bake copy/ }).waitFor({ state: "detached" });
  await saved();
});

step("the last page stays, in the words of the tool", async () => {
  const list = page.getByRole("navigation", { name: "Pages" });
  const titles = await list.getByRole("link").count();
  for (let left = titles; left > 1; left--) {
    const first = list.getByRole("link").filter({ hasNotText: "Bakery" }).first();
    await first.click();
    await command("Delete this page");
    await page.getByRole("button", { name: "Delete page" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await command("Delete this page");
  await page.getByRole("button", { name: "Delete page" }).click();
  await page.getByText("This is the last page, and a site needs one. Add another page first.").waitFor();
  await assertAccessible(page, "a refused deletion");
  await press("Escape");
  await heading().getByText("Fine bread").waitFor();
});

step("what a template brings says so and opens the template", async () => {
  const made = await product.callTool("addPage", { title: "Layout" });
  const html = "<header><p>Northwind, open daily</p></header><instatic-outlet></instatic-outlet>";
  await product.callTool("insertHtml", { parentId: made.rootNodeId, html });
  await product.callTool("setPageTemplate", { pageId: made.pageId, target: { kind: "everywhere" } });
  const line = canvas().getByText("Northwind, open daily");
  await line.click();
  await page.getByText("Part of the template Layout.").waitFor();
  await line.click();
  assert.equal(await canvas().locator("sw-text").count(), 0);
  await page.getByRole("button", { name: "Open template" }).last().click();
  await page.getByRole("heading", { name: "Layout", level: 2 }).waitFor();
  await line.click();
  await line.click();
  await press("ControlOrMeta+a");
  await page.keyboard.type("Northwind, closed on Mondays");
  await press("Enter");
  await saved();
  await page.goBack();
  await canvas().getByText("Northwind, closed on Mondays").waitFor();
});

step("what somebody else changes is pointed out with who it was", async () => {
  await page.getByRole("tab", { name: "Layers" }).click();
  const id = await heading().getAttribute("data-sw-node");
  // Both go away by themselves after a moment, so they are waited for before they come.
  const pointedOut = Promise.all([
    page.locator("[data-look=flash]").first().waitFor(),
    page.getByText("The command line").first().waitFor(),
  ]);
  await product.callTool("updateNodeProps", { nodeId: id, patch: { text: "Bread from the oven" } });
  await heading().getByText("Bread from the oven").waitFor();
  await pointedOut;
  await page.locator("[data-look=flash]").first().waitFor({ state: "detached" });
});

step("it can be used in both themes, and nothing is wider than its room", async () => {
  await heading().click();
  await assertAccessible(page, "editor");
  for (const [width, height] of [
    [1280, 840],
    [1024, 700],
    [390, 800],
  ]) {
    await page.setViewportSize({ width, height });
    await assertFits(page, `editor at ${width}`);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await visitor.saveScreenshot(`editor ${width} ${colorScheme}`);
    }
  }
});

step("on a phone one frame has the room, and a text is written by touching it twice", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await heading("mobile").waitFor();
  assert.equal(await page.locator("iframe[data-frame]").count(), 1);
  await heading("mobile").click();
  await heading("mobile").click();
  await press("ControlOrMeta+a");
  await page.keyboard.type("Bread for the road");
  await press("Enter");
  await heading("mobile").getByText("Bread for the road").waitFor();
  await page.getByRole("button", { name: "Show or hide pages and layers" }).click();
  await page.getByRole("tab", { name: "Layers" }).waitFor();
  await assertAccessible(page, "editor on a phone");
  await page.getByRole("button", { name: "Show or hide pages and layers" }).click();
  await page.setViewportSize({ width: 1280, height: 840 });
});

step("the canvas and the published page have the same computed styles", async () => {
  await heading().waitFor();
  await saved();
  await product.run("publish");
  await assertSameStyles(page, `${product.address}/bakery`);
});

step("so have all pages of the example site", async () => {
  const example = await startProduct(["first_site=example"]);
  const other = await openVisitor(browser);
  try {
    await setUp(other.page, example);
    await example.run("publish");
    await other.page.goto(`${example.address}/admin/site`);
    const list = other.page.getByRole("navigation", { name: "Pages" });
    await list.getByRole("link").first().waitFor();
    const pages = await list
      .getByRole("link")
      .evaluateAll((links) =>
        links.map((link) => ({ editor: link.href, address: link.querySelector("small")?.textContent })),
      );
    const published = pages.filter(({ address }) => address !== undefined);
    assert.ok(published.length >= 4, JSON.stringify(pages));
    for (const { editor, address } of published) {
      await other.page.goto(editor);
      await assertSameStyles(other.page, `${example.address}${address}`);
    }
    await other.finish();
  } finally {
    await example.stop();
  }
});

/** Holds the frames of the editor against the published page, in a window of the same size. */
async function assertSameStyles(tab, address) {
  for (const width of ["desktop", "mobile"]) {
    const frame = tab.locator(`iframe[data-frame=${width}]`);
    await tab.frameLocator(`iframe[data-frame=${width}]`).locator("body[data-sw-node]").waitFor({ state: "attached" });
    // A frame that has found its height shows all of its page.
    const isReady = (width) => {
      const { documentElement: root, images } = document.querySelector(`iframe[data-frame=${width}]`).contentDocument;
      return root.scrollHeight <= root.clientHeight && [...images].every(({ complete }) => complete);
    };
    await assertBecomes(tab, isReady, width, true);
    const here = await (await (await frame.elementHandle()).contentFrame()).evaluate(computed);
    const size = await frame.evaluate((element) => ({ width: element.clientWidth, height: element.clientHeight }));
    const context = await browser.newContext({ viewport: size, reducedMotion: "reduce" });
    const published = await context.newPage();
    await published.goto(address);
    const there = await published.evaluate(computed);
    assert.ok(there.length > 5, address);
    assert.deepEqual(differences(here, there), [], `${address} at the width of ${width}`);
    await context.close();
  }
}

/** What differs, in a form that a person can read. */
function differences(here, there) {
  if (here.length !== there.length) return [`${here.length} elements and ${there.length}`];
  return here.flatMap((one, at) => {
    const [mine, theirs] = [one.split("\n"), there[at].split("\n")];
    return mine.flatMap((line, row) => (line === theirs[row] ? [] : [`${mine[0]}: ${line} | ${theirs[row]}`]));
  });
}

/** Runs in a page: every element with all that is computed for it. */
function computed() {
  return [document.documentElement, ...document.body.querySelectorAll("*"), document.body]
    .filter((element) => !["SCRIPT", "STYLE"].includes(element.tagName))
    .map((element) => {
      const styles = getComputedStyle(element);
      return [element.tagName, ...[...styles].sort().map((name) => `${name}: ${styles.getPropertyValue(name)}`)].join(
        "\n",
      );
    });
}
