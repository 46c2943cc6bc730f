// The inspector, the settings, the history, the preview and who else is here: each changes the page as a person would see it, and
// can be taken back.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertBecomes, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { png } from "./picture.mjs";
import { startProduct } from "./product.mjs";
import { startProvider } from "./provider.mjs";
import { ANA, setUp, stepsOf } from "./steps.mjs";

const BO = { name: "Bo Lind", email: "bo@example.com", password: "another long password" };
const HTML =
  '<main style="max-width:40rem;margin:3rem auto;display:grid"><h1>Good bread</h1><p class="lead">Baked every morning.</p>' +
  '<p><a href="https://example.com/order">Order now</a></p><img src="/none.png" width="80" height="80"></main>';

let product;
let provider;
let browser;
let visitor;
let page;

before(async () => {
  [product, provider, browser] = await Promise.all([
    startProduct(["egress_allow=127.0.0.1/32"]),
    startProvider(),
    launchBrowser(),
  ]);
  visitor = await openVisitor(browser);
  page = visitor.page;
  await page.addInitScript(`window.lookAt = ${look}`);
  // The picture of the page is not there until somebody uploads one.
  visitor.expectRefusal(404);
  await setUp(page, product);
  await page.getByRole("link", { name: "Site", exact: true }).click();
  await saved();
  await seed();
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
    await provider?.stop();
  }
});

const shown = (selector) => page.frameLocator('iframe[data-frame="desktop"]').locator(selector);
const inspector = () => page.getByRole("group", { name: "Properties" });
const control = (name) => inspector().getByLabel(name, { exact: true });
const saved = () => page.getByText("Saved", { exact: true }).waitFor();
const dialog = () => page.getByRole("dialog");

async function seed() {
  const { documents } = await product.callTool("list_documents", {});
  const home = await product.callTool("read_document", { document: documents[0].document });
  const [, root] = /<body[^>]* uid="(\w+)"/.exec(JSON.stringify(home).replaceAll('\\"', '"')) ?? [];
  assert.ok(root, JSON.stringify(home));
  await product.callTool("insertHtml", { parentId: root, html: HTML });
  await product.callTool("set_color_tokens", { tokens: [{ slug: "brand", lightValue: "#1f6f54" }] });
  await product.callTool("set_font_tokens", { tokens: [{ name: "Headings", fallback: "Georgia, serif" }] });
  await product.callTool("set_type_scale", {});
  await product.callTool("set_spacing_scale", {});
  await product.callTool("addPage", { title: "Order", slug: "order" });
  await shown("h1").waitFor();
}

/** What the browser makes of an element on the canvas. */
function look({ selector, property, attribute }) {
  const frame = document.querySelector('iframe[data-frame="desktop"]')?.contentDocument;
  const element = frame?.querySelector(selector);
  if (!element) return "gone";
  if (attribute !== undefined) return element.getAttribute(attribute) ?? "none";
  return property === undefined
    ? element.textContent
    : frame.defaultView.getComputedStyle(element).getPropertyValue(property);
}

const seen = (what) => page.evaluate((what) => window.lookAt(what), what);

/** Waits until the element is so. */
const becomes = (what, wanted) => assertBecomes(page, (what) => window.lookAt(what), what, wanted);

async function select(selector) {
  await shown(selector).click();
  await inspector().waitFor();
}

async function undo() {
  await saved();
  const button = page.getByRole("button", { name: "Undo", exact: true });
  await button.click();
}

const step = stepsOf("inspector", () => visitor);

/** Does something to an element, sees it on the canvas, and takes it back. */
async function changesAndGoesBack(what, run, wanted) {
  const before = await seen(what);
  assert.notEqual(before, wanted, JSON.stringify(what));
  await run();
  await becomes(what, wanted);
  await undo();
  await becomes(what, before);
  await saved();
}

const write = (name, text) => async () => {
  await control(name).fill(text);
  await control(name).press("Enter");
};

step("every size, by a step of the scale, a number or a value, shows on the page and is undone", async () => {
  await select("h1");
  const h1 = (property) => ({ selector: "h1", property });
  await changesAndGoesBack(h1("font-size"), write("Size", "20"), "20px");
  await changesAndGoesBack(h1("border-radius"), write("Corners", "4px"), "4px");
  await changesAndGoesBack(h1("border-top-width"), write("Border width", "3"), "3px");
  for (const side of ["top", "right", "bottom", "left"]) {
    await changesAndGoesBack(h1(`padding-${side}`), write(`Padding ${side}`, "7px"), "7px");
    await changesAndGoesBack(h1(`margin-${side}`), write(`Margin ${side}`, "-9"), "-9px");
  }
  await control("Padding top").fill("m");
  await control("Padding top").press("Enter");
  await saved();
  const space = await page.evaluate(
    () => document.querySelector("iframe[data-frame=desktop]").contentDocument.querySelector("h1").style.paddingTop,
  );
  assert.equal(space, "var(--space-m)");
  await inspector().getByRole("button", { name: "Padding: same on all sides" }).click();
  await becomes(h1("padding-left"), await seen(h1("padding-top")));
  await undo();
  await undo();
  await becomes(h1("padding-top"), "0px");
  await select("main");
  await changesAndGoesBack({ selector: "main", property: "column-gap" }, write("Gap", "5px"), "5px");
});

step("a size that does not fit is refused with a sentence and stays in the field", async () => {
  await select("h1");
  await control("Size").fill("12pxx");
  await control("Size").press("Enter");
  await inspector().getByText("“12pxx” is not a valid size.", { exact: false }).waitFor();
  assert.equal(await control("Size").inputValue(), "12pxx");
  await control("Size").press("Escape");
  assert.equal(await control("Size").inputValue(), "");
});

step("colours come from the site's own or are written, and fonts from its tokens", async () => {
  await select("h1");
  const colors = [
    ["Text colour", "color"],
    ["Background", "background-color"],
    ["Border colour", "border-top-color"],
  ];
  for (const [name, property] of colors) {
    await inspector()
      .getByRole("button", { name: new RegExp(`^${name}:`) })
      .click();
    const swatch = inspector().getByRole("button", { name: `${name}: brand` });
    await changesAndGoesBack({ selector: "h1", property }, () => swatch.last().click(), "rgb(31, 111, 84)");
    await changesAndGoesBack({ selector: "h1", property }, write("Custom colour", "tomato"), "rgb(255, 99, 71)");
    await control("Custom colour").fill("tomatoe");
    await control("Custom colour").press("Enter");
    await inspector().getByText("“tomatoe” is not a colour.", { exact: false }).waitFor();
    await control("Custom colour").press("Escape");
    await inspector()
      .getByRole("button", { name: new RegExp(`^${name}:`) })
      .first()
      .click();
  }
  const font = { selector: "h1", property: "font-family" };
  await changesAndGoesBack(font, () => control("Font").selectOption("Headings"), "Georgia, serif");
});

step("typing is one change, and what somebody else wrote meanwhile is not lost", async () => {
  await select("h1");
  await control("Text").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Better bread");
  await becomes({ selector: "h1" }, "Better bread");
  await saved();
  const { changes } = await page.evaluate(() => fetch("/admin/api/site/history").then((answer) => answer.json()));
  assert.equal(changes.filter(({ summary }) => summary.startsWith("Changed text to “B")).length, 1);
  await undo();
  await becomes({ selector: "h1" }, "Good bread");
  await saved();
  const id = await shown("h1").getAttribute("data-sw-node");
  await control("Declarations").fill("letter-spacing: 1px");
  await product.callTool("assignClass", { nodeId: id, classId: "late" });
  await product.callTool("updateNodeProps", { nodeId: id, patch: { text: "Fine bread" } });
  await becomes({ selector: "h1" }, "Fine bread");
  await becomes({ selector: "h1", property: "letter-spacing" }, "1px");
  await product.callTool("updateNodeProps", { nodeId: id, patch: { text: "Good bread" } });
  await becomes({ selector: "h1", attribute: "class" }, "late");
});

step("own CSS keeps what was written and names what browsers leave out", async () => {
  await select("h1");
  const area = control("Declarations");
  await area.fill("letter-spacing: 2px;\ncolour: red;\nwidth: 1 px");
  await inspector().getByText("Line 2: “colour” is not a known property.").waitFor();
  await inspector().getByText("Line 3: “1 px” is not a value for “width”.").waitFor();
  await area.blur();
  await becomes({ selector: "h1", property: "letter-spacing" }, "2px");
  // A control beside it changes its own declaration and no other.
  await write("Corners", "4px")();
  await becomes({ selector: "h1", property: "border-radius" }, "4px");
  const kept = "letter-spacing: 2px;\ncolour: red;\nwidth: 1 px; border-radius: 4px";
  assert.equal(await area.inputValue(), kept);
  await undo();
  await undo();
  await becomes({ selector: "h1", property: "letter-spacing" }, "1px");
});

step("what a rule of the site says stands in the empty field", async () => {
  await product.callTool("applyCss", { css: ".lead { padding-top: 11px }" });
  await becomes({ selector: "p.lead", property: "padding-top" }, "11px");
  await select("p.lead");
  const empty = inspector().getByPlaceholder("11px");
  await empty.waitFor();
  assert.deepEqual([await empty.getAttribute("aria-label"), await empty.inputValue()], ["Padding top", ""]);
});

step("classes are chips that come and go", async () => {
  await select("p.lead");
  await control("Add a class").fill("two words");
  await inspector().getByRole("button", { name: "Add", exact: true }).click();
  await inspector().getByText("A class is one word, without spaces.").waitFor();
  await control("Add a class").fill("intro");
  await control("Add a class").press("Enter");
  await becomes({ selector: ".intro", attribute: "class" }, "lead intro");
  await inspector().getByRole("button", { name: "Remove class lead" }).click();
  await becomes({ selector: ".intro", attribute: "class" }, "intro");
  await undo();
  await undo();
  await becomes({ selector: "p", attribute: "class" }, "lead");
});

step("a link to a page follows it when it is renamed; an address can open a tab of its own", async () => {
  await select("a");
  const href = { selector: "a", attribute: "href" };
  assert.equal(await control("Address").inputValue(), "https://example.com/order");
  await control("Address").fill("javascript:alert(1)");
  await control("Address").press("Enter");
  await inspector().getByText("Not allowed", { exact: false }).waitFor();
  // What was refused is still being written when somebody else changes the link.
  const id = await shown("a").getAttribute("data-sw-node");
  await product.callTool("updateNodeProps", { nodeId: id, patch: { href: "https://theirs.example" } });
  await becomes(href, "https://theirs.example");
  await control("Address").fill("https://mine.example");
  await control("Address").press("Enter");
  const conflict = inspector()
    .getByRole("alert")
    .filter({ hasText: "Someone changed this while you were editing it." });
  await conflict.getByText("https://theirs.example").waitFor();
  await assertAccessible(page, "a conflict");
  await conflict.getByRole("button", { name: "Use mine" }).click();
  await becomes(href, "https://mine.example");
  await undo();
  await becomes(href, "https://theirs.example");
  await saved();
  await changesAndGoesBack(href, write("Address", "mailto:ana@example.com"), "mailto:ana@example.com");
  const tab = { selector: "a", attribute: "target" };
  await changesAndGoesBack(tab, () => control("Open in a new tab").check(), "_blank");
  await inspector().getByText("To a page").click();
  await control("Page").selectOption({ label: "Order (/order)" });
  await becomes(href, "/order");
  await saved();
  const { documents } = await product.callTool("list_documents", {});
  const order = documents.find(({ title }) => title === "Order");
  await product.callTool("updatePageSettings", { pageId: order.document.id ?? "/order", slug: "orders" });
  await becomes(href, "/orders");
  await undo();
  await becomes(href, "https://theirs.example");
});

step("a picture is uploaded, described, declared decoration, and chosen again from the library", async () => {
  await select("img");
  const src = { selector: "img", attribute: "src" };
  const alt = { selector: "img", attribute: "alt" };
  await inspector()
    .locator("input[type=file]")
    .setInputFiles({ name: "loaf.png", mimeType: "image/png", buffer: png() });
  await shown("img[src^='/uploads/']").waitFor();
  const uploaded = await seen(src);
  await saved();
  await control("Alt text").fill("A loaf on a board");
  await control("Alt text").blur();
  await becomes(alt, "A loaf on a board");
  await undo();
  await becomes(alt, "none");
  await changesAndGoesBack(
    alt,
    () =>
      inspector()
        .getByRole("checkbox", { name: /^Decorative/ })
        .check(),
    "",
  );
  await undo();
  await becomes(src, "/none.png");
  await inspector().getByRole("button", { name: "Library" }).click();
  await dialog().getByLabel("Search by name or description").fill("loaf");
  await dialog().getByRole("button", { name: "loaf.png" }).waitFor();
  await assertFits(page, "library");
  await assertAccessible(page, "library");
  await dialog().getByRole("button", { name: "loaf.png" }).click();
  await becomes(src, uploaded);
  await undo();
  await becomes(src, "/none.png");
  const dropped = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], "crust.png", { type: "image/png" }));
      return transfer;
    },
    [...png(0x42)],
  );
  await inspector().getByRole("group", { name: "Picture" }).dispatchEvent("drop", { dataTransfer: dropped });
  await shown("img[src^='/uploads/']").waitFor();
  assert.notEqual(await seen(src), uploaded);
  await saved();
});

step("a file that is no picture is refused in words", async () => {
  visitor.expectRefusal(400);
  await select("img");
  const file = { name: "notes.png", mimeType: "image/png", buffer: Buffer.from("not a picture") };
  await inspector().locator("input[type=file]").setInputFiles(file);
  await inspector().getByRole("alert").filter({ hasText: "picture" }).waitFor();
});

step("an element is hidden and protected, and both are undone", async () => {
  await select("p.lead");
  await changesAndGoesBack(
    { selector: "p.lead" },
    () =>
      inspector()
        .getByRole("checkbox", { name: /^Hide this element/ })
        .check(),
    "gone",
  );
  await select("p.lead");
  await inspector()
    .getByRole("radio", { name: /^Ask first/ })
    .check();
  await saved();
  assert.equal(
    await inspector()
      .getByRole("radio", { name: /^Ask first/ })
      .isChecked(),
    true,
  );
  await undo();
  await inspector()
    .getByRole("radio", { name: /^Everything/, checked: true })
    .waitFor();
});

step("a name and the way to an element", async () => {
  await select("h1");
  await control("Name").fill("Claim");
  await control("Name").press("Enter");
  await inspector().getByText("Claim", { exact: true }).waitFor();
  await undo();
  await inspector().getByRole("list").getByText("Heading", { exact: true }).waitFor();
  await inspector().getByRole("button", { name: "Main", exact: true }).click();
  await inspector().locator("[aria-current]").getByText("Main").waitFor();
});

step("settings of a page are refused in words, previewed and saved", async () => {
  await page
    .getByRole("link", { name: /^Order/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "Order", exact: true }).waitFor();
  await page.getByRole("button", { name: "Page settings", exact: true }).click();
  await dialog().getByLabel("Address", { exact: true }).fill("admin");
  await dialog().getByRole("button", { name: "Save" }).click();
  await dialog()
    .getByText("“admin” is reserved by Sitewright; choose another address, such as “admin-page”.")
    .waitFor();
  await dialog().getByLabel("Address", { exact: true }).fill("shop");
  await dialog().getByLabel("Title", { exact: true }).fill("Order bread");
  await dialog().getByLabel("Description", { exact: true }).fill("Fresh bread, brought to you by seven.");
  const result = dialog().getByRole("region", { name: "In search results" });
  await result.getByText("Order bread – ", { exact: false }).waitFor();
  await result.getByText("Fresh bread, brought to you by seven.").waitFor();
  await dialog()
    .locator("input[type=file]")
    .setInputFiles({ name: "card.png", mimeType: "image/png", buffer: png(0x90) });
  await dialog().getByRole("region", { name: "When shared" }).locator("img").waitFor();
  await assertFits(page, "page settings");
  await assertAccessible(page, "page settings");
  await dialog().getByLabel("Hide from search engines").check();
  await result.getByText("This page is hidden from search engines.").waitFor();
  await dialog().getByLabel("Keep as a draft", { exact: false }).check();
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Order bread", exact: true }).waitFor();
  await saved();
  const settings = await product.callTool("getPageSettings", { pageId: "/shop" });
  assert.deepEqual(
    [settings.title, settings.path, settings.description, settings.noIndex, settings.draft],
    ["Order bread", "/shop", "Fresh bread, brought to you by seven.", true, true],
  );
  assert.match(settings.socialImage, /^\/uploads\//);
  await undo();
  await page.getByRole("heading", { name: "Order", exact: true }).waitFor();
  await saved();
});

step("settings of the site and its design change what all pages share", async () => {
  await page.getByRole("button", { name: "Site settings", exact: true }).click();
  await dialog().getByLabel("Page title format").fill("No title");
  await dialog().getByRole("button", { name: "Save" }).click();
  await dialog().getByText("The format must contain {title}", { exact: false }).waitFor();
  await dialog().getByLabel("Page title format").fill("{title} | {site}");
  await dialog().getByLabel("Language").fill("de-AT");
  await assertAccessible(page, "site settings");
  await dialog().getByRole("button", { name: "Save" }).click();
  await dialog().waitFor({ state: "detached" });
  await saved();
  const settings = await product.callTool("getSiteSettings", {});
  assert.deepEqual([settings.titlePattern, settings.language], ["{title} | {site}", "de-AT"]);
  await page.getByRole("button", { name: "Design", exact: true }).click();
  const design = page.getByRole("tabpanel", { name: "Design" });
  await design.getByLabel("brand on light pages", { exact: true }).fill("#123456");
  await design.getByLabel("brand on light pages", { exact: true }).press("Enter");
  await design.getByLabel("New colour name").fill("Warm sand");
  await design.getByRole("button", { name: "Add a colour" }).click();
  await design.getByLabel("warm-sand on light pages", { exact: true }).waitFor();
  await design.getByRole("group", { name: "On phones" }).first().getByLabel("Base in px").fill("15");
  await design.getByRole("group", { name: "On phones" }).first().getByLabel("Base in px").press("Enter");
  await assertFits(page, "design");
  await assertAccessible(page, "design");
  await page.getByRole("tab", { name: "Properties" }).click();
  await saved();
  const tokens = await product.callTool("list_tokens", {});
  const value = (list, name) => list.find((token) => token.name === name)?.value;
  assert.equal(value(tokens.colors, "brand"), "#123456");
  assert.ok(value(tokens.colors, "warm-sand"));
  assert.match(value(tokens.typography, "m"), /0\.9375rem/);
});

step("the history tells what changed, and takes back one change or all after a moment", async () => {
  await page.getByRole("link", { name: /^Home/ }).last().click();
  await select("h1");
  await control("Text").fill("History bread");
  await control("Text").blur();
  await becomes({ selector: "h1" }, "History bread");
  await write("Size", "33")();
  await becomes({ selector: "h1", property: "font-size" }, "33px");
  await saved();
  await page.getByRole("button", { name: "History", exact: true }).click();
  await dialog().getByRole("heading", { name: "Today" }).waitFor();
  const change = dialog().getByRole("listitem").filter({ hasText: "Changed text to “History bread”" }).last();
  await change.getByText("Changed text to “History bread”").click();
  await change.getByText("“History bread”", { exact: false }).first().waitFor();
  await assertFits(page, "history");
  await assertAccessible(page, "history");
  await change.getByRole("button", { name: "Revert this change" }).click();
  await becomes({ selector: "h1" }, "Good bread");
  assert.equal(await seen({ selector: "h1", property: "font-size" }), "33px");
  await dialog().getByRole("listitem").getByText("You", { exact: true }).first().waitFor();
  // What was undone is folded away, and can still be gone back to.
  await dialog()
    .getByText(/^\d+ changes? made and undone$/)
    .first()
    .click();
  await change.getByText("Changed text to “History bread”").click();
  await change.getByRole("button", { name: "Restore to here" }).click();
  await dialog().last().getByRole("button", { name: "Restore to here" }).click();
  await becomes({ selector: "h1" }, "History bread");
  await dialog().getByLabel("By").selectOption({ label: "System" });
  await dialog().getByText("Changed size").waitFor({ state: "detached" });
  await dialog()
    .getByRole("button", { name: /^Show all \d+ changes$/ })
    .last()
    .click();
  await dialog().getByText("Created the site").waitFor();
  assert.notEqual(await seen({ selector: "h1", property: "font-size" }), "33px");
  await dialog().getByRole("button", { name: "Close" }).click();
});

step("an upload whose network goes away says so, and trying again makes one picture", async () => {
  visitor.expectRefusal("net::ERR_INTERNET_DISCONNECTED");
  visitor.expectRefusal("net::ERR_NETWORK_CHANGED");
  await select("img");
  const src = { selector: "img", attribute: "src" };
  const before = await seen(src);
  const upload = (name, shade) =>
    inspector()
      .locator("input[type=file]")
      .setInputFiles({ name, mimeType: "image/png", buffer: png(shade) });
  const told = inspector().getByRole("alert").filter({ hasText: "Can’t reach Sitewright." });
  const named = async (name) => {
    const { media } = await page.evaluate(() => fetch("/admin/api/media").then((answer) => answer.json()));
    return media.filter((item) => item.name === name).length;
  };
  // Once the file never arrives, and once only the answer is lost.
  for (const [name, shade, arrives] of [
    ["lost.png", 0x11, false],
    ["arrived.png", 0x22, true],
  ]) {
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route("**/admin/api/media?*", async (route) => {
      if (arrives) await route.fetch();
      await held;
      await route.abort("internetdisconnected");
    });
    await upload(name, shade);
    await inspector().getByRole("status").getByText("Uploading").waitFor();
    await visitor.context.setOffline(true);
    release();
    await told.waitFor();
    assert.equal(await seen(src), before, "the page keeps the picture it had");
    await assertAccessible(page, "an upload without a network");
    await page.unroute("**/admin/api/media?*");
    await visitor.context.setOffline(false);
    assert.equal(await named(name), arrives ? 1 : 0);
    await upload(name, shade);
    await told.waitFor({ state: "detached" });
    await shown(`img[src^='/uploads/']:not([src='${before}'])`).waitFor();
    await saved();
    assert.equal(await named(name), 1, "there is one picture, however often it was sent");
    await undo();
    await becomes(src, before);
    await saved();
  }
});

step("a preview opens for somebody who is not signed in", async () => {
  await saved();
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await dialog().getByLabel("Link expires after").selectOption("1 hour");
  await dialog()
    .getByRole("img", { name: /^QR code/ })
    .waitFor();
  // The list of links below it says the same of every link, in the middle of a sentence.
  await dialog()
    .getByText(/^Expires/)
    .waitFor();
  await assertFits(page, "preview");
  await assertAccessible(page, "preview");
  const link = await dialog().getByLabel("Link", { exact: true }).inputValue();
  const guest = await openVisitor(browser);
  guest.expectRefusal(404);
  await guest.page.goto(link);
  await guest.page.getByRole("heading", { name: "History bread" }).waitFor();
  await guest.context.close();
  await dialog().getByRole("button", { name: "Close" }).click();
});

/** Asks the server as the page does. */
function call(method, path, body) {
  return page.evaluate(
    async ([method, path, body]) => {
      const { csrfToken } = await fetch("/admin/api/session").then((answer) => answer.json());
      const headers = { "content-type": "application/json", "x-csrf-token": csrfToken };
      const answer = await fetch(`/admin/api${path}`, { method, headers, body: JSON.stringify(body) });
      // An answer that goes on is not waited for.
      return answer.headers.get("content-type")?.startsWith("application/json") ? answer.json() : undefined;
    },
    [method, path, body],
  );
}

step("those who are on the page see each other, and whose turn of the assistant is running", async () => {
  const invited = await call("POST", "/users", { email: BO.email, name: BO.name, role: "editor" });
  const link = /https?:\S+/.exec(JSON.stringify(invited).replaceAll('"', " "))?.[0];
  assert.ok(link, JSON.stringify(invited));
  const guest = await openVisitor(browser);
  guest.expectRefusal(404);
  await guest.page.goto(link);
  await guest.page.getByLabel("Password", { exact: true }).fill(BO.password);
  await guest.page
    .getByRole("button")
    .filter({ hasText: /password|join|save/i })
    .first()
    .click();
  await guest.page.getByRole("link", { name: "Site", exact: true }).click();
  await page.getByText("Bo Lind is on this page").waitFor();
  await guest.page.getByText("Ana Martins is on this page").waitFor();
  const credential = { providerId: "anthropic", label: "Main", apiKey: "sk-ant-test", baseUrl: provider.url };
  const { id: credentialId } = await call("POST", "/ai/credentials", credential);
  const { id: conversationId } = await call("POST", "/ai/conversations", {
    scope: "site",
    credentialId,
    modelId: "claude-opus-5-5",
  });
  provider.plan({ text: ["I begin", " and I end."], hold: true });
  await call("POST", "/ai/chat/site", { conversationId, prompt: "Take your time", executor: "headless" });
  await page.getByText("The assistant is working for you").waitFor();
  await guest.page.getByText("The assistant is working for Ana Martins").waitFor();
  await assertFits(page, "editor while the assistant works");
  await assertAccessible(page, "editor while the assistant works");
  await visitor.saveScreenshot("editor while the assistant works");
  provider.goOn();
  await guest.page.getByText("The assistant is working for Ana Martins").waitFor({ state: "detached" });
  await guest.context.close();
});

step("the inspector is used by keyboard alone, is accessible and fits", async () => {
  await select("h1");
  await control("Name").focus();
  const reached = [];
  for (let presses = 0; presses < 12 && !reached.at(-1)?.startsWith("Text colour"); presses++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? ""));
  }
  assert.match(reached.at(-1), /^Text colour/, JSON.stringify(reached));
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await becomes({ selector: "h1", property: "color" }, "rgb(18, 52, 86)");
  await assertFits(page, "inspector");
  await assertAccessible(page, "inspector of a heading");
  await undo();
  for (const selector of ["a", "img", "main"]) {
    await select(selector);
    await assertAccessible(page, `inspector of ${selector}`);
  }
});

step("on a phone, settings and history are behind one button, and the inspector can be opened", async () => {
  const phone = await openVisitor(browser, { width: 390, height: 800 });
  phone.expectRefusal(404);
  const tab = phone.page;
  await tab.goto(`${product.address}/admin/sign-in`);
  await tab.getByLabel("Email").fill(ANA.email);
  await tab.getByLabel("Password", { exact: true }).fill(ANA.password);
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.waitForURL((address) => !address.pathname.endsWith("/sign-in"));
  await tab.goto(page.url());
  const mobile = tab.frameLocator('iframe[data-frame="mobile"]');
  await mobile.locator("h1").waitFor();
  await assertFits(tab, "editor at 390");
  await tab.getByRole("button", { name: "Settings, history and preview" }).click();
  await tab.getByRole("menuitem", { name: "Page settings" }).click();
  await tab.getByRole("dialog").getByLabel("Title", { exact: true }).fill("Home");
  await assertFits(tab, "page settings at 390");
  await assertAccessible(tab, "page settings at 390");
  await tab.keyboard.press("Escape");
  await mobile.locator("h1").click();
  const properties = tab.getByRole("group", { name: "Properties" });
  if (!(await properties.isVisible())) await tab.getByRole("button", { name: "Show or hide properties" }).click();
  await properties.getByLabel("Text", { exact: true }).fill("Bread on a phone");
  await properties.getByLabel("Text", { exact: true }).blur();
  await becomes({ selector: "h1" }, "Bread on a phone");
  await assertFits(tab, "inspector at 390");
  await assertAccessible(tab, "inspector at 390");
  await phone.saveScreenshot("inspector on a phone");
  await phone.finish();
});
