// What somebody new wants to do in the first hour, by hand, with the steps counted: every click, key, choice and text that is written is
// one. docs/first-site.md has the table.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertBecomes, launchBrowser, openVisitor } from "./browser.mjs";
import { png } from "./picture.mjs";
import { startProduct } from "./product.mjs";
import { setUp, stepsOf } from "./steps.mjs";

const HTML = `
  <style>
    .shop { padding: 2rem; }
    .cards { display: flex; gap: 1rem; padding: 0; list-style: none; }
    .card { flex: 1; padding: 1rem; border: 1px solid; }
    .order { display: inline-block; padding: 12px; color: white; background: rgb(138, 59, 18); }
  </style>
  <section class="shop"><h1>Good bread</h1> <p><a class="order" href="/visit">Order now</a></p>
  <ul class="cards"><li class="card"><h2>Rye</h2></li> <li class="card"><h2>Spelt</h2></li> <li class="card"><h2>Wheat</h2></li></ul></section>`;

/** The steps of each task here, and in Webflow. */
const STEPS = {
  a: { ours: 4, webflow: 5 },
  b: { ours: 6, webflow: 6 },
  c: { ours: 7, webflow: 8 },
  d: { ours: 4, webflow: 5 },
  e: { ours: 5, webflow: 6 },
  f: { ours: 4, webflow: 4 },
  g: { ours: 4, webflow: 4 },
  h: { ours: 4, webflow: 6 },
  j: { ours: 2, webflow: 4 },
  k: { ours: 6, webflow: 6 },
  l: { ours: 6, webflow: 6 },
  m: { ours: 3, webflow: 3 },
  o: { ours: 4, webflow: 5 },
};

let product;
let browser;
let visitor;
let page;
let bakery;
let steps = 0;

before(async () => {
  [product, browser] = await Promise.all([startProduct(["first_site=example"]), launchBrowser()]);
  visitor = await openVisitor(browser, { width: 1440, height: 900 });
  page = visitor.page;
  await visitor.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await setUp(page, product);
  // A post is published onto a site that is.
  await product.run("publish");
  bakery = await product.callTool("addPage", { title: "Bakery" });
  await product.callTool("insertHtml", { parentId: bakery.rootNodeId, html: HTML });
  await openBakery();
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
const saved = () => page.getByText("Saved", { exact: true }).waitFor();
const button = (name) => page.getByRole("button", { name, exact: true });
const properties = () => page.getByRole("group", { name: "Properties" });
const control = (name) => properties().getByLabel(name, { exact: true });
const upload = (room) =>
  room.locator("input[type=file]").setInputFiles({ name: "loaf.png", mimeType: "image/png", buffer: png() });

async function openBakery() {
  await page.goto(`${product.address}/admin/site/${bakery.pageId}`);
  await canvas().getByRole("heading", { name: "Good bread" }).waitFor();
  await saved();
}

/** One step, or as many as it takes a person: a menu is opened before something in it is chosen, as is the dialog for files. */
async function act(doing, count = 1) {
  steps += count;
  await doing;
}

const press = (key) => act(page.keyboard.press(key));
const click = (target) => act(target.click());
const choose = (menu, option) => act(menu.selectOption(option), 2);

const inOrder = stepsOf("tasks", () => visitor);

function task(letter, name, run) {
  inOrder(`${letter}: ${name}`, async () => {
    steps = 0;
    await run();
    const { ours, webflow } = STEPS[letter];
    assert.equal(steps, ours);
    assert.ok(ours <= webflow);
    await saved();
  });
}

/** What the browser makes of something on the canvas. */
const style = ({ selector, property, frame = "desktop" }) => {
  const { contentDocument } = document.querySelector(`iframe[data-frame=${frame}]`);
  const element = contentDocument.querySelector(selector);
  return element && contentDocument.defaultView.getComputedStyle(element).getPropertyValue(property);
};
const becomes = (what, wanted) => assertBecomes(page, style, what, wanted);

const cards = () => {
  const { contentDocument } = document.querySelector("iframe[data-frame=desktop]");
  return [...contentDocument.querySelectorAll(".card")].map((card) => card.textContent);
};

task("a", "a page is added and put into the header's menu, and one undo takes both away", async () => {
  await click(button("Add a page"));
  const dialog = page.getByRole("dialog", { name: "Add a page" });
  await act(dialog.getByLabel("Title").fill("Prices"));
  await act(dialog.getByLabel("Add to the main menu").check());
  await press("Enter");
  await page.getByRole("heading", { name: "Prices", level: 2 }).waitFor();
  const link = canvas().getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Prices" });
  await link.waitFor();
  assert.equal(await link.getAttribute("href"), "/prices");
  await saved();
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByText("The page “Prices” no longer exists.").waitFor();
  await openBakery();
  await canvas().getByRole("link", { name: "Prices" }).waitFor({ state: "detached" });
});

task("b", "a section with a picture and two columns is built", async () => {
  await click(button("Insert"));
  await act(page.getByRole("radio", { name: "Layouts", exact: true }).check({ force: true }));
  await click(page.getByRole("button", { name: /^Picture and text/ }));
  const picture = canvas().locator("img").last();
  await picture.waitFor();
  await click(picture);
  await act(upload(properties()), 2);
  await canvas().locator("img[src^='/uploads/']").waitFor();
});

task("c", "the brand colour and the font of headings change everywhere", async () => {
  await click(button("Design"));
  const design = page.getByRole("tabpanel", { name: "Design" });
  for (const name of ["accent", "band"]) {
    const picker = design.getByLabel(`Pick ${name} on light pages`);
    await act(picker.fill("#0055aa"), 2);
    await picker.blur();
  }
  await choose(design.getByLabel("Font for Headings"), "Charter");
  await assertBecomes(
    page,
    style,
    { selector: "h1", property: "font-family" },
    'Charter, "Bitstream Charter", "Sitka Text", Cambria, serif',
  );
  await saved();
  const { colors } = await product.callTool("list_tokens", { family: "colors" });
  assert.deepEqual(
    colors.filter(({ value }) => value === "#0055aa").map(({ name }) => name),
    ["accent", "band"],
  );
  await page.getByRole("tab", { name: "Properties" }).click();
});

task("d", "padding is set on phones only", async () => {
  await click(page.getByRole("group", { name: "Width", exact: true }).getByRole("button", { name: "Mobile" }));
  await click(canvas("mobile").getByRole("heading", { name: "Good bread" }));
  await act(control("Padding left").fill("5px"));
  await press("Enter");
  await becomes({ selector: "h1", property: "padding-left", frame: "mobile" }, "5px");
  await becomes({ selector: "h1", property: "padding-left" }, "0px");
  await page.getByRole("group", { name: "Width", exact: true }).getByRole("button", { name: "Desktop" }).click();
});

task("e", "a button gets a hover style", async () => {
  await click(canvas().getByRole("link", { name: "Order now" }));
  await click(properties().getByText("Hover", { exact: true }));
  await click(properties().getByRole("button", { name: /^Background:/ }));
  await act(control("Custom colour").fill("black"));
  await press("Enter");
  await becomes({ selector: ".order", property: "background-color" }, "rgb(0, 0, 0)");
  await properties().getByText("Normal", { exact: true }).click();
  await becomes({ selector: ".order", property: "background-color" }, "rgb(138, 59, 18)");
});

/** The mouse without Playwright's own, which waits for a timer in the frame that was pressed in; frames of the canvas run none. */
async function drag(from, to) {
  const session = await page.context().newCDPSession(page);
  const send = (type, { x, y }, buttons) =>
    session.send("Input.dispatchMouseEvent", { type, x, y, buttons, button: "left", clickCount: 1 });
  const [a, b] = [await from.boundingBox(), await to.boundingBox()];
  const start = { x: a.x + a.width / 2, y: a.y + a.height - 6 };
  const end = { x: b.x + b.width * 0.2, y: b.y + b.height / 2 };
  await send("mousePressed", start, 1);
  for (const part of [0.1, 0.4, 0.7, 1]) {
    await send("mouseMoved", { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }, 1);
  }
  await send("mouseReleased", end, 0);
  await session.detach();
}

task("f", "a card is duplicated and dragged to the front", async () => {
  await click(canvas().getByRole("heading", { name: "Wheat" }));
  await press("Escape");
  await press("ControlOrMeta+d");
  await assertBecomes(page, cards, undefined, ["Rye", "Spelt", "Wheat", "Wheat"]);
  await saved();
  await act(drag(canvas().locator(".card").nth(3), canvas().locator(".card").first()));
  await assertBecomes(page, cards, undefined, ["Wheat", "Rye", "Spelt", "Wheat"]);
});

task("g", "a link leads to another site in a new tab", async () => {
  const link = canvas().locator(".order");
  await click(link);
  await click(properties().getByText("To an address"));
  await act(control("Address").fill("example.com/bread"));
  await act(control("Open in a new tab").check());
  await canvas().locator(".order[href='https://example.com/bread'][target=_blank]").waitFor();
});

task("h", "a picture is replaced and described", async () => {
  const before = await canvas().locator("img[src^='/uploads/']").getAttribute("src");
  await click(canvas().locator("img[src^='/uploads/']"));
  await act(
    properties()
      .locator("input[type=file]")
      .setInputFiles({ name: "oven.png", mimeType: "image/png", buffer: png(0x40) }),
    2,
  );
  await canvas().locator(`img[src^='/uploads/']:not([src='${before}'])`).waitFor();
  await act(control("Alt text").fill("Our oven"));
  await control("Alt text").blur();
  await canvas().getByRole("img", { name: "Our oven" }).waitFor();
});

task("j", "HTML is pasted", async () => {
  const html = '<section class="pasted"><h2>From elsewhere</h2><script>steal()</script></section>';
  await page.evaluate((text) => navigator.clipboard.writeText(text), html);
  await click(canvas().getByRole("heading", { name: "Good bread" }));
  await press("ControlOrMeta+v");
  await canvas().getByRole("heading", { name: "From elsewhere" }).waitFor();
  assert.equal(await canvas().locator("script").count(), 0);
  await page.getByRole("alert").filter({ hasText: "Left out for safety" }).getByRole("button").click();
});

task("k", "a page gets a title, a description and a picture for search engines and shared links", async () => {
  await click(button("Page settings"));
  const dialog = page.getByRole("dialog", { name: "Page settings: Bakery" });
  await act(dialog.getByLabel("Title", { exact: true }).fill("Good bread in town"));
  await act(dialog.getByLabel("Description", { exact: true }).fill("Baked every morning."));
  await act(upload(dialog), 2);
  await dialog.getByRole("region", { name: "When shared" }).locator("img").waitFor();
  await click(dialog.getByRole("button", { name: "Save" }));
  await dialog.waitFor({ state: "detached" });
  await saved();
  const settings = await product.callTool("getPageSettings", { pageId: bakery.pageId });
  assert.deepEqual([settings.title, settings.description], ["Good bread in town", "Baked every morning."]);
  assert.match(settings.socialImage, /^\/uploads\//);
});

task("l", "a post is written and published", async () => {
  await click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Content" }));
  await click(button("New entry"));
  await act(page.getByLabel("Title", { exact: true }).fill("Sourdough, slowly"));
  await act(page.getByLabel("Text", { exact: true }).fill("It takes **two days**."));
  await click(button("Save"));
  await page.getByRole("heading", { name: "Sourdough, slowly", level: 1 }).waitFor();
  await click(button("Publish"));
  await page.getByText("“Sourdough, slowly” published.").waitFor();
  const post = await fetch(`${product.address}/blog/sourdough-slowly`);
  assert.match(await post.text(), /<strong>two days<\/strong>/);
  await openBakery();
});

task("m", "a contact form is inserted, and says that it sends nothing yet", async () => {
  await click(button("Insert"));
  await act(page.getByRole("radio", { name: "Elements", exact: true }).check({ force: true }));
  await click(page.getByRole("button", { name: /^Form/ }));
  await canvas().locator("form").waitFor();
  await properties().getByText("This form doesn’t send anything yet.", { exact: false }).waitFor();
});

task("o", "ten steps are undone, and the site is restored to an earlier moment", async () => {
  const heading = canvas().getByRole("heading", { level: 1 });
  await heading.click();
  const size = (px) => becomes({ selector: "h1", property: "font-size" }, `${px}px`);
  const first = (await page.evaluate(style, { selector: "h1", property: "font-size" })).replace("px", "");
  for (let px = 21; px <= 30; px++) {
    await control("Size").fill(String(px));
    await control("Size").press("Enter");
    await size(px);
    await saved();
  }
  await page.getByRole("region", { name: "Canvas" }).focus();
  for (let px = 29; px >= 20; px--) {
    await page.keyboard.press("ControlOrMeta+z");
    await size(px === 20 ? first : px);
    await saved();
  }
  await click(button("History"));
  const drawer = page.getByRole("dialog", { name: "History" });
  await click(drawer.getByText("Inserted Form").first());
  await click(drawer.getByRole("button", { name: "Restore to here" }).first());
  await click(page.getByRole("dialog", { name: /^Restore the site/ }).getByRole("button", { name: /^Restore/ }));
  await page.getByText("Site restored.").waitFor();
  await page.keyboard.press("Escape");
  await canvas().locator("form").waitFor();
});
