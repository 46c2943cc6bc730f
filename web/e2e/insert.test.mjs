// Building a page by hand, with the mouse and with the keyboard: sections, layouts and elements, dragging, and the clipboard. Everything
// can be undone.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertBecomes, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { png } from "./picture.mjs";
import { startProduct } from "./product.mjs";
import { offerSections } from "./sections.mjs";
import { setUp, stepsOf } from "./steps.mjs";

const HTML = `
  <style>
    body { margin: 0; font-family: sans-serif; color: rgb(20, 60, 90); }
    .hero { padding: 3rem; }
    .cards { display: flex; gap: 1rem; padding: 0 3rem; }
    .card { flex: 1; border: 1px solid #ccc; border-radius: 12px; padding: 1rem; }
  </style>
  <main><section class="hero"><h1>Good bread</h1> <p>Baked every morning.</p></section>
  <section class="cards"><article class="card"><h2>Rye</h2></article> <article class="card"><h2>Spelt</h2></article>
  <article class="card"><h2>Wheat</h2></article></section>
  <section class="more"><svg viewBox="0 0 40 20" width="200" height="100" role="img" aria-label="A loaf"><g><path d="M0 0h40v20H0z" fill="#963"/></g></svg>
  <details><summary>Do you deliver?</summary><p class="answer">Yes, by bicycle.</p></details></section></main>`;

const DOCUMENT = `<!doctype html><html lang="de"><title>Unser Brot</title><link rel="stylesheet" href="css/site.css">
  <script>alert(1)</script><body><h1 onclick="alert(2)">{page.title}</h1><img src="img/oven.png" alt="Ofen"><img src="lost.png" alt="">`;

let product;
let browser;
let visitor;
let page;
let made;

before(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
  visitor = await openVisitor(browser, { width: 1440, height: 900 });
  page = visitor.page;
  await visitor.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await offerSections(visitor.context);
  await setUp(page, product);
  made = await product.callTool("addPage", { title: "Bakery" });
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
const heading = () => canvas().getByRole("heading", { level: 1 });
const card = (name) => canvas().locator("article", { hasText: name });
const saved = () => page.getByText("Saved", { exact: true }).waitFor();
const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
const path = () => page.getByRole("navigation", { name: "Element path" });
const insertButton = () => page.getByRole("button", { name: "Insert", exact: true });
const tiles = () => page.getByRole("list", { name: "Sections" }).getByRole("listitem");
const part = (name) => page.getByRole("radio", { name, exact: true }).check({ force: true });
const undo = async () => {
  await saved();
  await press("ControlOrMeta+z");
};

/** What is on the page: its sections by class, and the headings in it. */
const shown = () => {
  const frame = document.querySelector("iframe[data-frame=desktop]").contentDocument;
  const sections = [...frame.querySelectorAll("main > *")].map((one) => one.className || one.localName);
  return { sections, headings: [...frame.querySelectorAll("h1, article h2")].map((one) => one.textContent) };
};
const START = { sections: ["hero", "cards", "more"], headings: ["Good bread", "Rye", "Spelt", "Wheat"] };
const becomes = (wanted) => assertBecomes(page, shown, undefined, wanted);
const assertStart = () => becomes(START);

/** Whether the element with the outline of what is selected is on the screen. */
const selectedIsInView = () =>
  page.evaluate(() => {
    const outline = document.querySelector("[data-active=true] [data-look=selected]")?.getBoundingClientRect();
    const room = document.querySelector("section[data-zone=elements]").getBoundingClientRect();
    return outline !== undefined && outline.bottom > room.top && outline.top < room.bottom;
  });

const step = stepsOf("insert", () => visitor);

step("a section is put between two others by its picture, in the look of the site", async () => {
  const hero = await canvas().locator(".hero").boundingBox();
  await page.mouse.move(hero.x + hero.width / 3, hero.y + hero.height - 4);
  await page.getByRole("button", { name: "Insert below Hero: Good bread" }).click();
  const first = tiles().first();
  await first.locator("[data-drawn=true]").waitFor();
  const look = await first.locator("iframe").evaluate((frame) => {
    const { body } = frame.contentDocument;
    return { color: getComputedStyle(body).color, text: body.textContent.trim() };
  });
  assert.equal(look.color, "rgb(20, 60, 90)");
  assert.ok(look.text !== "" && !look.text.includes("Good bread"), look.text);
  await assertAccessible(page, "the insert panel");
  await first.getByRole("button").click();
  await saved();
  const { sections } = await page.evaluate(shown);
  assert.equal(sections.length, 4);
  assert.deepEqual([sections[0], sections[2], sections[3]], START.sections);
  assert.equal(await selectedIsInView(), true);
  // Rules that the site has stay as they are.
  const padding = await canvas()
    .locator(".hero")
    .evaluate((hero) => getComputedStyle(hero).paddingTop);
  assert.equal(padding, "48px");
  await undo();
  await assertStart();
});

step("sections are found by family and by word", async () => {
  const all = await tiles().count();
  const family = page.getByRole("combobox", { name: "Family" });
  await family.selectOption({ index: 1 });
  assert.ok((await tiles().count()) <= all);
  await page.getByRole("searchbox", { name: "Search sections" }).fill("nothing is called this");
  await page.getByText("No sections match").waitFor();
  await page.getByRole("searchbox", { name: "Search sections" }).fill("");
  await family.selectOption("");
  assert.equal(await tiles().count(), all);
});

step("a hero on a page with a main heading gets one below it", async () => {
  await page.getByRole("searchbox", { name: "Search sections" }).fill("hero");
  await tiles().first().getByRole("button").click();
  await saved();
  const levels = await canvas()
    .locator("h1, h2.section-title, .plain-hero h2")
    .evaluateAll((all) => all.map((one) => one.localName));
  assert.deepEqual(levels, ["h1", "h2"]);
  await undo();
  await assertStart();
  await page.getByRole("searchbox", { name: "Search sections" }).fill("");
});

step("a section is inserted with the keyboard alone", async () => {
  await page.getByRole("tab", { name: "Pages" }).click();
  await heading().click();
  await press("Escape", "Alt+i");
  await page.getByRole("searchbox", { name: "Search sections" }).waitFor();
  await assertBecomes(page, () => document.activeElement.getAttribute("type"), undefined, "search");
  await press("Tab", "Tab", "Enter");
  await assertBecomes(
    page,
    () => document.querySelector("iframe[data-frame=desktop]").contentDocument.querySelectorAll("main > *").length,
    undefined,
    4,
  );
  await saved();
  const { sections } = await page.evaluate(shown);
  assert.deepEqual([sections.length, sections[0], sections[2]], [4, "hero", "cards"]);
  await canvas().locator("body").press("ControlOrMeta+z");
  await assertStart();
});

step("a section with two columns and a picture is built by hand", async () => {
  await heading().click();
  await press("Escape");
  await insertButton().click();
  await part("Layouts");
  await page.getByRole("button", { name: /^Empty section/ }).click();
  await becomes({ ...START, sections: ["hero", "section", "cards", "more"] });
  await page.getByRole("button", { name: /^Two columns/ }).click();
  const columns = canvas().locator(".section > .columns-two > div");
  await columns.nth(1).waitFor();
  await columns.first().getByRole("paragraph").click();
  await part("Elements");
  await page.getByRole("button", { name: /^Picture/ }).click();
  const picture = columns.first().locator("img");
  await picture.waitFor();
  assert.match(await path().textContent(), /Section.*(Picture|Image)$/s);
  const side = await columns.evaluateAll(
    ([one, two]) => one.getBoundingClientRect().top === two.getBoundingClientRect().top,
  );
  assert.equal(side, true);
  await canvas().locator("body").press("ControlOrMeta+z");
  await picture.waitFor({ state: "detached" });
  await undo();
  await columns.first().waitFor({ state: "detached" });
  await undo();
  await assertStart();
});

/**
 * The mouse without Playwright's own: that waits for a timer in the frame that was pressed in, and frames of the canvas run no scripts.
 */
const mouse = {
  async send(type, { x, y }, buttons) {
    mouse.session ??= await page.context().newCDPSession(page);
    await mouse.session.send("Input.dispatchMouseEvent", { type, x, y, buttons, button: "left", clickCount: 1 });
    mouse.at = { x, y };
  },
  down: (at) => mouse.send("mousePressed", at, 1),
  move: (to) => mouse.send("mouseMoved", to, 1),
  up: () => mouse.send("mouseReleased", mouse.at, 0),
};

/** Presses in a part of something, and goes to a part of something else. */
async function dragTo(from, to, { x = 0.5, y = 0.5, grip = { x: 0.5, y: 0.5 } }) {
  const [a, b] = [await from.boundingBox(), await to.boundingBox()];
  const start = { x: a.x + a.width * grip.x, y: a.y + a.height * grip.y };
  const end = { x: b.x + b.width * x, y: b.y + b.height * y };
  await mouse.down(start);
  for (const part of [0.1, 0.4, 0.7, 1]) {
    await mouse.move({ x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part });
  }
}

const mark = () => page.locator("[data-active=true] [data-side=before], [data-active=true] [data-side=after]").first();

step("a card is dragged before another one, Escape leaves it, and no text is marked", async () => {
  await page.getByRole("tab", { name: "Layers" }).click();
  await dragTo(card("Wheat"), card("Rye"), { x: 0.2 });
  await mark().waitFor();
  const marked = await canvas()
    .locator("html")
    .evaluate((html) => html.ownerDocument.getSelection().toString());
  assert.equal(marked, "");
  await press("Escape");
  await mark().waitFor({ state: "detached" });
  await mouse.up();
  await assertStart();
  await dragTo(card("Wheat"), card("Rye"), { x: 0.2 });
  await mouse.up();
  await becomes({ ...START, headings: ["Good bread", "Wheat", "Rye", "Spelt"] });
  assert.match(await path().textContent(), /Article/);
  await undo();
  await assertStart();
});

step("a section is dragged above another, and a move with the keyboard keeps it in view", async () => {
  await canvas()
    .locator(".more")
    .click({ position: { x: 700, y: 10 } });
  await dragTo(canvas().locator(".more"), canvas().locator(".hero"), { y: 0.1, grip: { x: 0.8, y: 0.1 } });
  await mouse.up();
  await becomes({ ...START, sections: ["more", "hero", "cards"] });
  await saved();
  await press("Alt+ArrowDown", "Alt+ArrowDown");
  await becomes(START);
  await saved();
  assert.equal(await selectedIsInView(), true);
});

step("something is dragged from the panel onto the canvas", async () => {
  await insertButton().click();
  await part("Elements");
  await dragTo(page.getByRole("button", { name: /^Divider/ }), heading(), { y: 0.9 });
  await mark().waitFor();
  await mouse.up();
  const line = canvas().locator(".hero > h1 + hr");
  await line.waitFor();
  await canvas().locator("body").press("ControlOrMeta+z");
  await line.waitFor({ state: "detached" });
});

step("an element is copied and pasted, here and on another page, and cut", async () => {
  await card("Rye").click();
  await press("Escape");
  await press("ControlOrMeta+c");
  await page.getByText("Copied article").waitFor();
  await press("ControlOrMeta+v");
  await becomes({ ...START, headings: ["Good bread", "Rye", "Rye", "Spelt", "Wheat"] });
  await saved();
  await press("ControlOrMeta+x");
  await assertStart();
  await card("Spelt").click({ button: "right" });
  await page.getByRole("menuitem", { name: /^Copy/ }).click();
  await page.getByText("Copied heading").waitFor();
  await card("Rye").click();
  await press("Escape", "ControlOrMeta+c");
  await page.getByText("Copied article").first().waitFor();
  const other = await product.callTool("addPage", { title: "Other" });
  await page.goto(`${product.address}/admin/site/${other.pageId}`);
  await page.getByRole("button", { name: "Add a section" }).waitFor();
  await page.getByRole("region", { name: "Canvas" }).focus();
  await press("ControlOrMeta+v");
  await card("Rye").waitFor();
  const border = await card("Rye").evaluate((one) => getComputedStyle(one).borderTopLeftRadius);
  assert.equal(border, "12px");
  await undo();
  await page.getByRole("button", { name: "Add a section" }).waitFor();
});

step("an empty page offers its first section", async () => {
  await assertAccessible(page, "an empty page");
  await page.getByRole("button", { name: "Add a section" }).click();
  await tiles().first().getByRole("button").click();
  await assertBecomes(
    page,
    () =>
      document
        .querySelector("iframe[data-frame=desktop]")
        .contentDocument.body.querySelector("section, header, footer, div") !== null,
    undefined,
    true,
  );
  await page.getByRole("button", { name: "Add a section" }).waitFor({ state: "detached" });
  await page.goto(`${product.address}/admin/site/${made.pageId}`);
  await heading().waitFor();
  await saved();
});

const putOnClipboard = (text) => page.evaluate((text) => navigator.clipboard.writeText(text), text);

step("pasted HTML loses its scripts, which is told, and keeps its braces", async () => {
  await putOnClipboard(
    '<section class="pasted" onclick="steal()"><p>{{post.title}} {page.title}</p><script>steal()</script></section>',
  );
  await heading().click();
  await press("ControlOrMeta+v");
  await becomes({ ...START, sections: ["hero", "pasted", "cards", "more"] });
  assert.equal(await canvas().locator(".pasted").textContent(), "{{post.title}} {page.title}");
  assert.equal(await canvas().locator("script, [onclick]").count(), 0);
  const note = page.getByRole("alert").filter({ hasText: "Left out for safety" });
  assert.match(await note.textContent(), /scripts/);
  assert.match(await note.textContent(), /onclick handlers/);
  await undo();
  await assertStart();
  await note.getByRole("button", { name: "Dismiss" }).click();
});

step("plain text becomes paragraphs, and stays plain while a text is written", async () => {
  await putOnClipboard("First line\n\nSecond & last");
  await heading().click();
  await press("ControlOrMeta+v");
  const added = canvas().locator(".hero > h1 ~ p");
  await added.filter({ hasText: "Second & last" }).waitFor();
  assert.deepEqual(await added.allTextContents(), ["First line", "Second & last", "Baked every morning."]);
  await undo();
  await added.nth(1).waitFor({ state: "detached" });
  await putOnClipboard("<b>Best</b> bread");
  await heading().click();
  await heading().click();
  await press("ControlOrMeta+a", "ControlOrMeta+v", "Enter");
  await becomes({ ...START, headings: ["<b>Best</b> bread", "Rye", "Spelt", "Wheat"] });
  await undo();
  await assertStart();
});

step("a drawing is one picture until it is entered", async () => {
  const drawing = canvas().locator("svg");
  await drawing.click();
  assert.match(await path().textContent(), /Section(?!.*Path)/s);
  await drawing.dblclick();
  await path().getByText(/path/i).waitFor();
  await heading().click();
  await drawing.click();
  await path().getByText(/path/i).waitFor({ state: "detached" });
});

step("closed details are open while something in them is selected", async () => {
  const answer = canvas().locator(".answer");
  assert.equal(await answer.isVisible(), false);
  await canvas()
    .getByText("Do you deliver?")
    .click({ position: { x: 40, y: 8 } });
  await answer.waitFor();
  await answer.click({ position: { x: 40, y: 8 } });
  await answer.click({ position: { x: 40, y: 8 } });
  await press("ControlOrMeta+a");
  await page.keyboard.type("Yes, everywhere.");
  await press("Enter");
  await saved();
  await canvas().getByText("Yes, everywhere.").waitFor();
  await heading().click();
  await answer.waitFor({ state: "hidden" });
  await undo();
  await assertBecomes(
    page,
    () => document.querySelector("iframe[data-frame=desktop]").contentDocument.querySelector(".answer").textContent,
    undefined,
    "Yes, by bicycle.",
  );
});

step("on a phone the panel has the screen, and makes way for what was inserted", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await canvas("mobile").getByRole("heading", { level: 1 }).waitFor();
  await insertButton().click();
  await part("Sections");
  await tiles().first().locator("[data-drawn=true]").waitFor();
  await assertFits(page, "the insert panel on a phone");
  await tiles().first().getByRole("button").click();
  await page.getByRole("searchbox", { name: "Search sections" }).waitFor({ state: "detached" });
  await saved();
  assert.equal(await selectedIsInView(), true);
});

step("an HTML file becomes a page with its files, what is left out is told, and undo takes the page away", async () => {
  // The picture that is missing.
  visitor.expectRefusal(404);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${product.address}/admin/site/${made.pageId}`);
  await heading().waitFor();
  await page.getByRole("tab", { name: "Pages" }).click();
  await page.getByRole("button", { name: "Import an HTML file…" }).click();
  const dialog = page.getByRole("dialog", { name: "Import an HTML file" });
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText("Choose one HTML file").waitFor();
  await assertAccessible(page, "the import of a page");
  await dialog.getByLabel("HTML file").setInputFiles([
    { name: "brot.html", mimeType: "text/html", buffer: Buffer.from(DOCUMENT) },
    { name: "site.css", mimeType: "text/css", buffer: Buffer.from("h1 { color: rgb(1, 2, 3) }") },
    { name: "oven.png", mimeType: "image/png", buffer: png() },
  ]);
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await canvas().getByRole("heading", { name: "{page.title}" }).waitFor();
  const look = await heading().evaluate((one) => getComputedStyle(one).color);
  assert.equal(look, "rgb(1, 2, 3)");
  await assertBecomes(
    page,
    () => document.querySelector("iframe[data-frame=desktop]").contentDocument.querySelector("img").naturalWidth,
    undefined,
    64,
  );
  const told = page.getByRole("alert").getByText("Left out for safety");
  assert.equal(
    await told.textContent(),
    "Left out for safety: onclick handlers and scripts. Not included: lost.png. To include files, choose them together with the page.",
  );
  await page.getByRole("heading", { name: "Unser Brot", level: 2 }).waitFor();
  await assertAccessible(page, "an imported page");
  await undo();
  await page.getByRole("link", { name: /Unser Brot/ }).waitFor({ state: "detached" });
});
