// Styles by width and state, and the design that the whole site shares, set by hand in the editor and measured on the published page.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertBecomes, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { setUp, stepsOf } from "./steps.mjs";

const HTML =
  '<main class="wrap"><h1 style="padding-left: 24px">Good bread</h1><p class="lead">Baked every morning.</p>' +
  '<p><a class="button" href="/order">Order now</a></p></main>';
const CSS = `
  body { color: var(--ink); background: var(--paper) }
  .wrap { display: block; max-width: 40rem; margin: 3rem auto }
  .wrap h1 { color: var(--ink); letter-spacing: 1px }
  .button { display: inline-block; padding: 12px; color: white; background: var(--accent) }
  .button:hover { background: rgb(1, 2, 3); letter-spacing: 3px }
  :focus-visible { outline: 3px solid red }
`;
const COLORS = [
  { slug: "accent", lightValue: "#8a3b12" },
  { slug: "ink", lightValue: "#2a211b" },
  { slug: "paper", lightValue: "#fffaf5" },
  { slug: "spare", lightValue: "#123456", darkValue: "#abcdef" },
];

let product;
let browser;
let visitor;
let page;
/** What a person did since the last count: clicks, choices and texts written. */
let acts = 0;

before(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
  visitor = await openVisitor(browser, { width: 1440, height: 900 });
  page = visitor.page;
  await setUp(page, product);
  const { documents } = await product.callTool("list_documents", {});
  const home = await product.callTool("read_document", { document: documents[0].document });
  const [, root] = /<body[^>]* uid="(\w+)"/.exec(JSON.stringify(home).replaceAll('\\"', '"')) ?? [];
  await product.callTool("set_color_tokens", { tokens: COLORS });
  await product.callTool("set_font_tokens", { tokens: [{ name: "Headings", fallback: "Georgia, serif" }] });
  await product.callTool("set_type_scale", {});
  await product.callTool("set_spacing_scale", {});
  await product.callTool("applyCss", { css: CSS });
  await product.callTool("insertHtml", { parentId: root, html: HTML });
  await page.getByRole("link", { name: "Site", exact: true }).click();
  await saved();
  await shown("h1").waitFor();
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
  }
});

const step = stepsOf("styles", () => visitor);
const frame = (name) => page.frameLocator(`iframe[data-frame="${name}"]`);
const shown = (selector, name = "desktop") => frame(name).locator(selector);
const properties = () => page.getByRole("group", { name: "Properties" });
const control = (name) => properties().getByLabel(name, { exact: true });
const saved = () => page.getByText("Saved", { exact: true }).waitFor();
const widths = () => page.getByRole("group", { name: "Width", exact: true });
const design = () => page.getByRole("tabpanel", { name: "Design" });

/** One thing that a person does. */
async function act(doing) {
  acts += 1;
  await doing;
}

const write = async (field, text) => {
  await act(field.fill(text));
  await field.press("Enter");
};

/** How often a person acted since the last time. */
function counted() {
  const count = acts;
  acts = 0;
  return count;
}

/** What the browser makes of an element in a frame of the canvas. */
const onCanvas = ({ selector, property, frame }) => {
  const { contentDocument } = document.querySelector(`iframe[data-frame="${frame ?? "desktop"}"]`);
  const element = contentDocument.querySelector(selector);
  return contentDocument.defaultView.getComputedStyle(element).getPropertyValue(property);
};
const becomes = (what, wanted) => assertBecomes(page, onCanvas, what, wanted);

/** Publishes, and reads a style of an element as visitors with windows of these widths get it. */
async function published(selector, property, windows, before) {
  await saved();
  await product.run("publish");
  const found = {};
  const context = await browser.newContext();
  const guest = await context.newPage();
  for (const width of windows) {
    await guest.setViewportSize({ width, height: 800 });
    await guest.goto(product.address);
    await before?.(guest);
    const read = (element, property) => getComputedStyle(element).getPropertyValue(property);
    found[width] = await guest.locator(selector).first().evaluate(read, property);
  }
  await context.close();
  return found;
}

const undo = async () => {
  await saved();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await saved();
};

step("padding that is set in the mobile frame reaches phones and no other screen", async () => {
  counted();
  await act(widths().getByRole("button", { name: "Mobile" }).click());
  await act(shown("h1", "mobile").click());
  await properties().getByText("Mobile · up to 640 px").waitFor();
  await write(control("Padding left"), "5px");
  assert.ok(counted() <= 3, "as few steps as elsewhere");
  await becomes({ selector: "h1", property: "padding-left", frame: "mobile" }, "5px");
  await becomes({ selector: "h1", property: "padding-left", frame: "tablet" }, "24px");
  await becomes({ selector: "h1", property: "padding-left" }, "24px");
  const found = await published("h1", "padding-left", [390, 430, 640, 641, 800, 1440]);
  assert.deepEqual(found, { 390: "5px", 430: "5px", 640: "5px", 641: "24px", 800: "24px", 1440: "24px" });
});

step("a control tells where its value comes from, and goes back to it", async () => {
  assert.equal(await control("Padding left").inputValue(), "5px");
  await properties().getByRole("button", { name: "Reset padding" }).click();
  await becomes({ selector: "h1", property: "padding-left", frame: "mobile" }, "24px");
  assert.equal(await control("Padding left").inputValue(), "");
  await assertBecomes(
    page,
    () => document.querySelector('[aria-label="Padding left"]')?.previousElementSibling?.title,
    undefined,
    "From all widths",
  );
  const label = (name) => properties().locator("label", { hasText: name }).locator("xpath=..");
  await label("Letter spacing").getByText(".wrap h1").waitFor();
  await widths().getByRole("button", { name: "Tablet" }).click();
  await properties().getByText("Tablet · up to 1024 px").waitFor();
  await control("Letter spacing").fill("4px");
  await control("Letter spacing").press("Enter");
  await properties().getByRole("button", { name: "Reset letter spacing" }).waitFor();
  await widths().getByRole("button", { name: "Mobile" }).click();
  await label("Letter spacing").getByText("Tablet").waitFor();
  await control("Letter spacing").fill("6px");
  await control("Letter spacing").press("Enter");
  await becomes({ selector: "h1", property: "letter-spacing", frame: "mobile" }, "6px");
  await assertAccessible(page, "the inspector at a breakpoint");
  await widths().getByRole("button", { name: "Desktop" }).click();
  await properties().getByText("All widths").waitFor();
  const found = await published("h1", "letter-spacing", [430, 800, 1200]);
  assert.deepEqual(found, { 430: "6px", 800: "4px", 1200: "1px" });
  await undo();
  await becomes({ selector: "h1", property: "letter-spacing", frame: "mobile" }, "4px");
});

step("a button has a hover style, which shows on the canvas while it is edited", async () => {
  counted();
  await act(shown(".button").click());
  await act(properties().getByText("Hover", { exact: true }).click());
  await becomes({ selector: ".button", property: "letter-spacing" }, "3px");
  await act(
    properties()
      .getByRole("button", { name: /^Background:/ })
      .click(),
  );
  await write(control("Custom colour"), "black");
  assert.ok(counted() <= 4, "as few steps as elsewhere");
  await becomes({ selector: ".button", property: "background-color" }, "rgb(0, 0, 0)");
  await assertAccessible(page, "the inspector of a hover style");
  await properties().getByText("Normal", { exact: true }).click();
  await becomes({ selector: ".button", property: "background-color" }, "rgb(138, 59, 18)");
  const color = (before) => published(".button", "background-color", [1200], before);
  assert.deepEqual(await color(), { 1200: "rgb(138, 59, 18)" });
  assert.deepEqual(await color((guest) => guest.locator(".button").hover()), { 1200: "rgb(0, 0, 0)" });
});

step("the inspector shows an element at rest while the mouse is over it", async () => {
  await shown(".button").hover();
  await becomes({ selector: ".button", property: "letter-spacing" }, "normal");
  assert.equal(await control("Letter spacing").getAttribute("placeholder"), "normal");
});

step("words on the page are written without the site's own focus outline", async () => {
  await shown("h1").click();
  await shown("h1").click();
  const field = shown("sw-text");
  await field.waitFor();
  assert.equal(await field.evaluate((element) => getComputedStyle(element).outlineStyle), "none");
  await page.keyboard.press("Escape");
});

step("layout, size, type and effects are set without CSS", async () => {
  await shown("p.lead").click();
  const lead = (property) => ({ selector: "p.lead", property });
  const choose = async (name, option, property, wanted) => {
    await control(name).selectOption(option);
    await becomes(lead(property), wanted);
  };
  const set = async (name, text, property, wanted) => {
    await control(name).fill(text);
    await control(name).press("Enter");
    await becomes(lead(property), wanted);
  };
  await choose("Display", "Flex", "display", "flex");
  await choose("Direction", "Column", "flex-direction", "column");
  await choose("Wrap", "Wrap", "flex-wrap", "wrap");
  await choose("Align items", "Center", "align-items", "center");
  await choose("Justify", "Space between", "justify-content", "space-between");
  await set("Gap", "9", "row-gap", "9px");
  await choose("Display", "Grid", "display", "grid");
  await set("Columns", "3", "display", "grid");
  assert.equal((await page.evaluate(onCanvas, lead("grid-template-columns"))).split(" ").length, 3);
  await set("Max width", "300", "max-width", "300px");
  await set("Min height", "77px", "min-height", "77px");
  await choose("Weight", "Bold", "font-weight", "700");
  await set("Line height", "2", "line-height", "32px");
  await choose("Align", "Center", "text-align", "center");
  await choose("Case", "UPPERCASE", "text-transform", "uppercase");
  await choose("Decoration", "Underline", "text-decoration-line", "underline");
  await choose("Shadow", "Small", "box-shadow", "rgba(0, 0, 0, 0.2) 0px 1px 3px 0px");
  await set("Opacity", "50%", "opacity", "0.5");
  await control("Columns").fill("many");
  await control("Columns").press("Enter");
  await properties().getByText("“many” is not a number of columns", { exact: false }).waitFor();
  await control("Columns").press("Escape");
  await saved();
});

step("a rule in Custom CSS is refused and not saved", async () => {
  const area = control("Declarations");
  const before = await area.inputValue();
  await area.fill("&:hover { background: #000 }");
  await properties().getByText("Not saved. Enter declarations only", { exact: false }).waitFor();
  await area.blur();
  await saved();
  const id = await shown("p.lead").getAttribute("data-sw-node");
  const { html } = await product.callTool("getNodeHtml", { nodeId: id });
  assert.doesNotMatch(html, /hover/);
  await area.fill(before);
  await area.blur();
});

step("a number is read whole in its field", async () => {
  await shown("h1").click();
  await write(control("Padding top"), "96.875px");
  const cut = await control("Padding top").evaluate((field) => field.scrollWidth > field.clientWidth);
  assert.equal(cut, false);
  await undo();
});

step("a colour is picked beside the canvas that shows it", async () => {
  counted();
  await act(page.getByRole("button", { name: "Design", exact: true }).click());
  await act(design().getByLabel("Pick accent on light pages").fill("#0055aa"));
  await becomes({ selector: ".button", property: "background-color" }, "rgb(0, 85, 170)");
  assert.ok(counted() <= 5, "as few steps as elsewhere");
  await design().getByLabel("Pick accent on light pages").blur();
  await saved();
  await design().getByRole("button", { name: "Edit accent" }).click();
  await design().getByText("7.0:1 on paper").waitFor();
  await design().getByText("Easy to read").first().waitFor();
  await design().getByText("Used once", { exact: true }).waitFor();
  await assertFits(page, "design");
  await assertAccessible(page, "design");
});

step("a colour is renamed with its uses, in one change", async () => {
  await design().getByLabel("Name of accent").fill("two words");
  await design().getByLabel("Name of accent").press("Enter");
  await design().getByText("Use lowercase letters, digits and hyphens.").waitFor();
  await write(design().getByLabel("Name of accent"), "brand");
  await design().getByRole("button", { name: "Edit brand" }).waitFor();
  await saved();
  const background = await page.evaluate(onCanvas, { selector: ".button", property: "background-color" });
  assert.equal(background, "rgb(0, 85, 170)");
  const tokens = await product.callTool("list_tokens", { family: "colors" });
  assert.ok(tokens.colors.some(({ name }) => name === "brand"));
  assert.ok(!tokens.colors.some(({ name }) => name === "accent"));
  await undo();
  await design().getByRole("button", { name: "Edit accent" }).waitFor();
});

step("a colour that is used says so before it is removed, and one that is not goes at once", async () => {
  await design().getByRole("button", { name: "Remove accent" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove accent?" });
  await dialog.getByText("Used once", { exact: false }).waitFor();
  await assertAccessible(page, "removing a colour");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await becomes({ selector: ".button", property: "background-color" }, "rgb(0, 85, 170)");
  await design().getByRole("button", { name: "Remove accent" }).click();
  await dialog.getByRole("button", { name: "Remove colour" }).click();
  await becomes({ selector: ".button", property: "background-color" }, "rgba(0, 0, 0, 0)");
  await undo();
  await becomes({ selector: ".button", property: "background-color" }, "rgb(0, 85, 170)");
  await design().getByRole("button", { name: "Edit spare" }).click();
  await design().getByText("Not used", { exact: true }).waitFor();
  await design().getByRole("button", { name: "Remove spare" }).click();
  await design().getByRole("button", { name: "Edit spare" }).waitFor({ state: "detached" });
});

step("fonts show a specimen; one that cannot be downloaded says so to a person", async () => {
  visitor.expectRefusal(502);
  visitor.expectRefusal(503);
  await design().getByText("The quick brown fox").waitFor();
  await design().getByLabel("Font for Headings").selectOption("Charter");
  await saved();
  const tokens = await product.callTool("list_tokens", { family: "fonts" });
  assert.match(tokens.fonts[0].value, /^Charter/);
  await page.route("**/admin/api/cms/fonts/install", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({ code: "unavailable", title: "Unavailable", detail: "no", status: 503 }),
    }),
  );
  await design().getByRole("button", { name: "Edit Headings" }).click();
  await design().getByLabel("Add a Google font for Headings").fill("Inter");
  await design().getByRole("button", { name: "Add font" }).click();
  await design().getByText("the server can’t reach Google Fonts", { exact: false }).waitFor();
  await assertAccessible(page, "a font that could not be had");
  await page.unroute("**/admin/api/cms/fonts/install");
});

step("a site with the widths of before is offered the new ones, with a preview, as one change", async () => {
  const before = [
    { breakpointId: "mobile", maxWidth: 375 },
    { breakpointId: "tablet", maxWidth: 768 },
  ];
  await product.callTool("set_breakpoint_widths", { breakpoints: before });
  await design().getByRole("button", { name: "See what changes" }).click();
  const dialog = page.getByRole("dialog", { name: "Use the new widths?" });
  await dialog.getByText("Mobile: up to 375 px becomes up to 640 px").waitFor();
  await dialog.getByText("1 style rule moves").first().waitFor();
  for (const title of ["Now", "With the new widths"]) {
    await dialog.frameLocator(`iframe[title="${title}"]`).locator("h1").waitFor();
  }
  await assertFits(page, "the offer of new widths");
  await assertAccessible(page, "the offer of new widths");
  await dialog.getByRole("button", { name: "Use the new widths" }).click();
  await dialog.waitFor({ state: "detached" });
  await saved();
  const { breakpoints } = await product.callTool("list_breakpoints", {});
  const queries = breakpoints.flatMap(({ query }) => query ?? []);
  assert.deepEqual(queries, ["(max-width: 640px)", "(max-width: 1024px)"]);
  assert.deepEqual(await published("h1", "letter-spacing", [430, 800, 1200]), { 430: "4px", 800: "4px", 1200: "1px" });
  await undo();
  await design().getByRole("button", { name: "See what changes" }).waitFor();
});
