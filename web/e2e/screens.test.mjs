// The screens around the editor as an owner uses them: Home, providers, tools, publishing, releases, and the tour. One story.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { assertAccessible, assertFits, assertNothingMoved, launchBrowser, openVisitor } from "./browser.mjs";
import { png } from "./picture.mjs";
import { startProduct } from "./product.mjs";
import { startProvider } from "./provider.mjs";
import { ANA, ask, setUp, stepsOf } from "./steps.mjs";

const KEY = "sk-ant-right-0815";

let product;
let browser;
let visitor;
let page;
let provider;
let shop;

before(async () => {
  [product, browser, provider, shop] = await Promise.all([
    startProduct(["egress_allow=127.0.0.1/32"]),
    launchBrowser(),
    startProvider({ key: KEY }),
    startShop(),
  ]);
  visitor = await openVisitor(browser);
  page = visitor.page;
  await setUp(page, product);
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    shop?.close();
    await provider?.stop();
    await browser?.close();
    await product?.stop();
  }
});

const at = (path) => `${product.address}/admin${path}`;
const heading = (name) => page.getByRole("heading", { level: 1, name });
const section = (name) => page.getByRole("region", { name });
const notice = (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor();

/** Looks that a screen is accessible in both themes and as wide as its room. */
async function look(name) {
  await assertFits(page, name);
  await assertAccessible(page, name);
}

/** A vendor that knows one product. */
async function startShop() {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const { sku } = JSON.parse(text).arguments;
      const isKnown = sku === "SKU-1" && request.headers["x-api-key"] === "demo";
      response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(isKnown ? { data: { title: "Walnut desk" } } : { error: { message: "unknown" } }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** What is put away is gone from the screen at once; the server has it a moment later, and a reload would come before that. */
const rememberedBy = (tab) =>
  tab.waitForResponse(
    (response) => response.request().method() === "PATCH" && response.url().endsWith("/admin/api/account"),
  );

const step = stepsOf("screens", () => visitor);

step("Home says what to do next and how things stand, and nothing moves while it arrives", async () => {
  await page.goto(at("/"));
  const steps = page.getByRole("list", { name: "Getting started" });
  await steps.getByRole("link", { name: "Meet the assistant" }).waitFor();
  await steps.getByText("(done)").first().waitFor({ state: "attached" });
  await section("Live site").getByText("Nothing is published yet").waitFor();
  await section("Live site")
    .getByText(/unpublished changes?$/)
    .waitFor();
  await section("AI usage this month").getByText("$0.00 of $50.00").waitFor();
  await section("Needs attention")
    .getByText(/^(Nothing right now\.|\d+ things? to check before you publish)$/)
    .waitFor();
  await section("Your site").getByRole("listitem").filter({ hasText: "Home" }).getByText("Not published").waitFor();
  await page.getByRole("list", { name: "Recent changes" }).getByText("Created the site").waitFor();
  await assertNothingMoved(page, "Home");
  await look("Home");
});

step("a provider is connected, refuses a wrong key in its own words, and takes the right one", async () => {
  await page.getByRole("link", { name: "Meet the assistant" }).click();
  await heading("Providers").waitFor();
  await page.getByText("Built-in commands (no AI)").waitFor();
  await look("no providers");
  await page.getByRole("button", { name: "Connect a provider" }).click();
  await page.getByLabel("Provider", { exact: true }).selectOption({ label: "Ollama" });
  assert.equal(await page.getByLabel("API key").evaluate((field) => field.required), false);
  await page.getByLabel("Provider", { exact: true }).selectOption({ label: "Anthropic" });
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText("This field is required.").waitFor();
  await page.getByLabel("Name").fill("Main");
  await page.getByLabel("API key").fill("sk-ant-wrong-0815");
  await page.getByText("Custom address").click();
  await page.getByLabel("Address").fill(provider.url);
  await look("connecting a provider");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  const card = page.getByRole("article", { name: "Main" });
  await card.getByText(/invalid x-api-key/).waitFor();
  await page.getByText(/^Main was added/).waitFor();
  assert.equal(await page.getByText(/is connected/).count(), 0, "a key that does not work is not called connected");
  await look("a provider that refuses");

  await card.getByRole("button", { name: "Actions for Main" }).click();
  await card.getByRole("menuitem", { name: "Change name, key or address" }).click();
  await page.getByLabel("API key").fill(KEY);
  await page.getByRole("button", { name: "Save" }).click();
  await card.getByText(/2 models/).waitFor();
  await page.reload();
  await card.waitFor();
  assert.doesNotMatch(await page.content(), /sk-ant/);
});

step("models are chosen with windows and prices in sight, and a provider in use says by what", async () => {
  visitor.expectRefusal(409);
  await page.getByRole("link", { name: "Defaults" }).click();
  await page.getByRole("button", { name: "Choose a model (Site)" }).click();
  const models = page.getByRole("dialog").getByRole("group", { name: "Choose a model" });
  await models.getByText(/1M context · \$4 in · \$20 out per million tokens/).waitFor();
  await models.getByLabel(/Claude Haiku/).check();
  await page.getByLabel("Use it everywhere").check();
  await look("choosing a model");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const site = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Site", exact: true }) });
  await site.getByText("claude-haiku-5-5").waitFor();
  await look("defaults");

  await page.goto(at("/ai"));
  const card = page.getByRole("article", { name: "Main" });
  await card.getByText("Default for Site, Content, Data, Plugins and Breadcrumbs").waitFor();
  await card.getByRole("button", { name: "Actions for Main" }).click();
  await card.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: "It is the default for Site, Content, Data, Plugins and Breadcrumbs." })
    .waitFor();
  await look("a provider in use");
  await page.getByRole("dialog").getByRole("link", { name: "See defaults" }).click();
  for (const part of ["Content", "Data", "Plugins", "Breadcrumbs"]) {
    await page.getByRole("button", { name: `Clear (${part})` }).click();
    await page.getByRole("button", { name: `Choose a model (${part})` }).waitFor();
  }
});

step("limits and what the assistant should know are kept, and a wrong limit is said beside it", async () => {
  visitor.expectRefusal(400);
  const rounds = page.getByLabel("Requests to the model");
  await rounds.fill("0");
  await page.getByRole("button", { name: "Save limits" }).click();
  await page.getByText(/must be 1 to 500/).waitFor();
  await rounds.fill("12");
  await page.getByLabel("US dollars per month").fill("20");
  await page.getByRole("button", { name: "Save limits" }).click();
  await notice("Limits saved.");
  await page.getByLabel("Instructions").fill("A carpenter in Leeds.");
  await page.getByRole("button", { name: "Save text" }).click();
  await notice("The assistant will use it");
  await page.reload();
  assert.equal(await rounds.inputValue(), "12");
  assert.equal(await page.getByLabel("Instructions").inputValue(), "A carpenter in Leeds.");
});

step("what the assistant used is summed up by model, person, part and day", async () => {
  await page.goto(at("/ai/audit"));
  await page.getByText("No usage in the last 30 days").waitFor();
  await look("no usage");
  for (const modelId of ["claude-opus-5-5", "claude-haiku-5-5"]) {
    const { credentials } = await ask(page, "GET", "/admin/api/ai/credentials");
    const begun = await ask(page, "POST", "/admin/api/ai/conversations", {
      scope: "site",
      credentialId: credentials[0].id,
      modelId,
    });
    await ask(page, "POST", "/admin/api/ai/chat/site", { conversationId: begun.id, prompt: "Say hello." });
  }
  const asked = page.waitForRequest((request) => request.url().includes("/ai/audit?"));
  await page.getByLabel("Today").check();
  const query = new URL((await asked).url()).searchParams;
  const { zone, midnight } = await page.evaluate(() => ({
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    midnight: new Date(new Date().setHours(0, 0, 0, 0)).toISOString(),
  }));
  assert.deepEqual([query.get("tz"), query.get("since")], [zone, midnight]);
  await page.getByLabel("7 days").check();
  const byModel = page.getByRole("region", { name: "By model" }).getByRole("row");
  await byModel.filter({ hasText: "claude-opus-5-5" }).getByRole("cell", { name: "1,200" }).waitFor();
  assert.equal(await byModel.count(), 3);
  await page.getByText("Which models were used.").waitFor();
  const aligned = await byModel
    .last()
    .getByRole("cell")
    .first()
    .evaluate((cell) => getComputedStyle(cell).textAlign);
  assert.equal(aligned, "end");
  await page.getByRole("region", { name: "By person" }).getByText(ANA.name).waitFor();
  await page.getByRole("region", { name: "By area" }).getByRole("rowheader", { name: "Site" }).waitFor();
  await page.getByRole("img", { name: /^Cost per day/ }).waitFor();
  await page.getByText("Show as a table").click();
  await page.getByRole("columnheader", { name: "Day" }).waitFor();
  await look("usage");
  await page.goto(at("/"));
  await section("AI usage this month").getByText("of $20.00").waitFor();
});

step("a tool is found, understood and tried: from a form, as JSON, and one that asks first", async () => {
  await page.goto(at("/tools"));
  await page.getByLabel("Find a tool").fill("page add");
  await page.getByLabel("Change", { exact: true }).check();
  await look("tools");
  await page.getByRole("link", { name: "Add a page" }).click();
  await heading("Add a page").waitFor();
  await page.getByText("title text required").first().waitFor();
  const decided = page.getByRole("definition");
  await decided.filter({ hasText: "Runs without asking" }).first().waitFor();
  await page.getByRole("button", { name: "Run addPage" }).click();
  await page.getByText("This field is required.").waitFor();
  await page.getByLabel("title", { exact: true }).fill("Workshop");
  await page.getByRole("button", { name: "Run addPage" }).click();
  await page.getByText(/^Done in \d+ ms\. Added 1 page: “Workshop”/).waitFor();
  await look("a tool that ran");
  await page.getByLabel("JSON", { exact: true }).first().check();
  const json = page.getByRole("textbox", { name: "JSON" });
  assert.deepEqual(JSON.parse(await json.inputValue()), { title: "Workshop" });
  await json.fill('{ "title": ');
  await page.getByRole("button", { name: "Run addPage" }).click();
  await page.getByText("This isn’t valid JSON.").waitFor();
  await json.fill('{ "title": 7 }');
  await page.getByRole("button", { name: "Run addPage" }).click();
  await page.getByText("/title", { exact: true }).waitFor();
  await look("a tool that refused");

  await page.goto(at("/tools/tool/publishSite"));
  await decided.filter({ hasText: "Undo does not reach what this does" }).first().waitFor();
  await page.getByRole("button", { name: "Check against the tool rules" }).click();
  await decided.filter({ hasText: "Publishing shows the site to everybody" }).first().waitFor();
  await look("a tool that asks first");
  await page.getByRole("button", { name: "Run publishSite" }).click();
  await page.getByText("Waiting for approval. Nothing has been done yet.").waitFor();
  await page.getByRole("link", { name: "Review" }).click();
  await page.getByRole("button", { name: "Deny Publish the site" }).click();
  await page.getByText("Denied. Nothing was done.").first().waitFor();
});

step("a tool that lives elsewhere is connected, tried and removed", async () => {
  visitor.expectRefusal(400);
  await page.goto(at("/tools/connected"));
  await page.getByText("No connected tools").waitFor();
  await page.getByRole("button", { name: "Connect a tool" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("shop.getProduct");
  await dialog.getByLabel("Title").fill("Find a product");
  await dialog.getByLabel("What it is for").fill("Finds a product by its number.");
  await dialog.getByLabel("Address").fill("http://example.com/tool");
  await dialog.getByLabel("Headers").fill("x-api-key: demo");
  const schema = { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] };
  await dialog.getByLabel("Input, as JSON Schema").fill(JSON.stringify(schema));
  await dialog.getByRole("button", { name: "Connect", exact: true }).click();
  await dialog.getByText(/https/).first().waitFor();
  await look("connecting a tool");
  await dialog.getByLabel("Address").fill(`http://127.0.0.1:${shop.address().port}/product`);
  await dialog.getByRole("button", { name: "Connect", exact: true }).click();
  const row = page.getByRole("listitem").filter({ hasText: "shop.getProduct" });
  await row.getByText("with x-api-key").waitFor();
  assert.doesNotMatch(await page.content(), /demo/);
  await look("connected tools");
  await row.getByRole("link", { name: "shop.getProduct" }).click();
  await page.getByLabel("sku", { exact: true }).fill("SKU-1");
  await page.getByRole("button", { name: "Run shop.getProduct" }).click();
  await page.getByText("Walnut desk").first().waitFor();
  await page.getByText("This response comes from outside the site.").waitFor();
  await page.goto(at("/tools/connected"));
  await page.getByRole("button", { name: "Remove shop.getProduct" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("No connected tools").waitFor();
});

step("publishing lists what would change, leaves out what is left out, and leads to the public page", async () => {
  await product.callTool("addPage", { title: "Prices" });
  await page.goto(at("/"));
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "Workshop /workshop New" }).waitFor();
  await dialog.getByRole("listitem").filter({ hasText: "/workshop" }).getByText(ANA.name).waitFor();
  await dialog.getByRole("checkbox", { name: "Prices /prices New" }).uncheck();
  await dialog.getByLabel("What’s new").fill("First release");
  await look("publishing");
  await dialog.getByRole("button", { name: /^Publish \d+ pages$/ }).click();
  await page.getByRole("heading", { name: "Release 1 is published" }).waitFor();
  await dialog.getByRole("link", { name: /Workshop/ }).waitFor();
  await look("published");
  await dialog.getByRole("button", { name: "Done" }).click();
  await section("Live site").getByText("Release 1").waitFor();
  await section("Live site").getByText("1 unpublished change").waitFor();
  assert.equal((await fetch(`${product.address}/workshop`)).status, 200);
  assert.equal((await fetch(`${product.address}/prices`)).status, 404);
});

step("when the site changes under the dialog, nothing is published and the list is made anew", async () => {
  visitor.expectRefusal(409);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: /Prices/ }).waitFor();
  await product.callTool("addPage", { title: "Contact" });
  await dialog.getByRole("button", { name: "Publish 1 page" }).click();
  await dialog.getByText("The site changed in the meantime").waitFor();
  await dialog.getByRole("checkbox", { name: /Contact/ }).waitFor();
  await look("publishing anew");
  await dialog.getByRole("button", { name: "Publish 2 pages" }).click();
  await page.getByRole("heading", { name: "Release 2 is published" }).waitFor();
  await page.keyboard.press("Escape");
});

step("releases are listed, going back asks and shows visitors the earlier one", async () => {
  await page.goto(at("/activity/releases"));
  const rows = page.getByRole("list", { name: "Releases" }).getByRole("listitem");
  await rows.filter({ hasText: "Release 2" }).getByText("Live", { exact: true }).waitFor();
  await rows.filter({ hasText: "First release" }).getByText(ANA.name).waitFor();
  await look("releases");
  await page.getByRole("button", { name: "Roll back to this release (release 1)" }).click();
  await look("going back");
  await page.getByRole("dialog").getByRole("button", { name: "Roll back to this" }).click();
  await rows.filter({ hasText: "Release 1" }).getByText("Live", { exact: true }).waitFor();
  assert.equal((await fetch(`${product.address}/prices`)).status, 404);
});

step("activity tells changes, runs and the log, with who did it", async () => {
  for (const [tab, text] of [
    ["Changes", "Created the site"],
    ["Runs", "Published"],
    ["Log", "Signed in"],
  ]) {
    await page.getByRole("navigation", { name: "Activity" }).getByRole("link", { name: tab }).click();
    await heading(tab).waitFor();
    await page.getByRole("main").getByText(text).first().waitFor();
    await look(tab);
  }
});

step("changes are filtered by who made them, and lead to their page", async () => {
  await page.goto(at("/activity/changes"));
  const main = page.getByRole("main");
  await main.getByText("Created the site").waitFor();
  await page.getByLabel("By", { exact: true }).selectOption({ label: "You" });
  await main.getByText("Created the site").waitFor({ state: "detached" });
  await look("filtered changes");
  await main.getByRole("list", { name: "Pages" }).getByRole("link", { name: "Workshop" }).first().click();
  await page.getByRole("heading", { name: "Workshop", exact: true }).waitFor();
});

step("the site is renamed in the settings, and a checklist that is put away stays away", async () => {
  await page.goto(at("/settings"));
  await page.getByLabel("Site name").fill("Harbour Books");
  await look("site settings");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("banner").getByRole("link", { name: "Harbour Books" }).waitFor();
  await page.getByRole("link", { name: "Home" }).click();
  const remembered = rememberedBy(page);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByRole("list", { name: "Getting started" }).waitFor({ state: "detached" });
  await remembered;
  await page.reload();
  await section("Live site").waitFor();
  assert.equal(await page.getByRole("list", { name: "Getting started" }).count(), 0);
});

step("who may only see what was used sees that, and who may do neither sees nothing of AI", async () => {
  for (const [role, capabilities] of [
    ["bookkeeper", ["ai.audit.read"]],
    ["gardener", ["site.read"]],
  ]) {
    await ask(page, "PUT", `/admin/api/roles/${role}`, { name: role, capabilities });
    const person = { name: "Vera Lund", email: `${role}@example.com`, role };
    const { link } = await ask(page, "POST", "/admin/api/users", person);
    const vera = await openVisitor(browser);
    await vera.page.goto(link.url);
    await vera.page.getByLabel("Password", { exact: true }).fill("staple clip drawer");
    await vera.page.getByRole("button", { name: "Save and sign in" }).click();
    await vera.page.getByRole("navigation", { name: "Main" }).waitFor();
    await vera.page.goto(at("/ai"));
    if (role === "bookkeeper") {
      await vera.page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
      assert.equal(await vera.page.getByRole("link", { name: "Providers" }).count(), 0);
    } else {
      await vera.page.getByText("There is nothing at this address").waitFor();
      assert.equal(await vera.page.getByRole("link", { name: "AI", exact: true }).count(), 0);
    }
    await vera.finish();
  }
});

step("on a phone, Home, the inbox and its cards fit and work", async () => {
  await ask(page, "POST", "/tools/call", { tool: "publishSite", scope: "site", arguments: {} });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(at("/"));
  await page.getByRole("link", { name: "1 request needs your approval" }).waitFor();
  await look("Home on a phone");
  await page.getByRole("link", { name: "1 request needs your approval" }).click();
  await page.getByRole("article", { name: "Publish the site" }).waitFor();
  await look("inbox on a phone");
  await page.getByRole("button", { name: "Approve Publish the site" }).click();
  await page.getByText(`Approved by ${ANA.name}. Done.`, { exact: true }).waitFor();
  for (const path of ["/activity/releases", "/ai/providers", "/ai/defaults", "/ai/audit", "/tools", "/settings/site"]) {
    await page.goto(at(path));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await look(`${path} on a phone`);
  }
  await page.setViewportSize({ width: 1280, height: 840 });
});

step("storage is checked, and published files that are gone are written again", async () => {
  await page.goto(at("/settings/system"));
  const check = page.getByRole("button", { name: "Check storage" });
  await check.click();
  await page.getByText("No problems found.", { exact: true }).waitFor();
  await look("storage that is sound");
  await product.loseFiles();
  await check.click();
  await page.getByText(/published files? (is|are) missing or damaged/).waitFor();
  await look("storage that is damaged");
  await page.getByRole("button", { name: "Repair files" }).click();
  await page.getByText("No problems found.", { exact: true }).waitFor();
});

step("the tour of the editor is walked by keyboard, holds nothing back, and is over for good", async () => {
  const newcomer = await openVisitor(browser, { isNew: true });
  const tab = newcomer.page;
  await tab.goto(at("/sign-in?next=%2Fsite"));
  await tab.getByLabel("Email").fill(ANA.email);
  await tab.getByLabel("Password", { exact: true }).fill(ANA.password);
  await tab.getByRole("button", { name: "Sign in" }).click();
  const tour = tab.getByRole("dialog", { name: "Ask the assistant" });
  await tour.waitFor();
  await tab.waitForFunction(() => document.activeElement?.textContent === "Ask the assistant");
  await assertAccessible(tab, "tour");
  for (const title of ["Add a section", "Click text to edit it", "Everything can be undone"]) {
    // Heading, close, skip, next.
    for (let press = 0; press < 3; press += 1) await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    await tab.getByRole("dialog", { name: title }).waitFor();
  }
  await tab.getByRole("button", { name: "Undo" }).waitFor();
  const remembered = rememberedBy(tab);
  await tab.keyboard.press("Escape");
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  await remembered;
  await tab.reload();
  await tab.getByText("Saved", { exact: true }).waitFor();
  assert.equal(await tab.getByRole("dialog").count(), 0);
  await newcomer.finish();
});

step("a post is written, published and seen by visitors, goes into a menu, and comes back from the bin", async () => {
  await page.goto(at("/content"));
  await heading("Blog").waitFor();
  await look("no entries");
  await page.getByRole("button", { name: "New entry" }).click();
  await page.getByLabel("Title").fill("Harvest at last");
  assert.equal(await page.getByLabel("Address").inputValue(), "harvest-at-last");
  await page.getByLabel("Text", { exact: true }).fill("The *figs* are ripe.");
  await page.getByRole("button", { name: "Save" }).click();
  await heading("Harvest at last").waitFor();
  await page.getByText("Draft", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Published", { exact: true }).waitFor();
  await look("entry");
  const post = await page.request.get(`${product.address}/blog/harvest-at-last`);
  assert.match(await post.text(), /<p>The <em>figs<\/em> are ripe\.<\/p>/);

  await page.getByRole("button", { name: "Add translation" }).click();
  await page.getByLabel("Language").fill("pt");
  await page.getByRole("dialog").getByRole("button", { name: "Add translation" }).click();
  await page.getByText("/pt/blog/harvest-at-last").waitFor();
  await page.getByLabel("Title").fill("Enfim a colheita");
  await page.getByRole("button", { name: "Save" }).click();
  await heading("Enfim a colheita").waitFor();
  await page.getByRole("link", { name: "View original" }).click();
  await heading("Harvest at last").waitFor();
  await page.getByLabel("Text", { exact: true }).fill("The *figs* are ripe, at last.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Original changed").waitFor();
  await look("translated entry");
  await page.getByRole("link", { name: "Enfim a colheita" }).click();
  await page.getByRole("button", { name: "Mark as up to date" }).click();
  await page.getByText("The original has changed since this translation was made.").waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Menus" }).click();
  await heading("Menus").waitFor();
  await page.getByRole("button", { name: "New item" }).first().click();
  await page.getByLabel("Label").fill("Journal");
  await page.getByLabel("Links to").selectOption({ label: "URL" });
  await page.getByLabel("URL", { exact: true }).fill("/blog/harvest-at-last");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("list", { name: "Header" }).getByText("Journal").first().waitFor();
  await look("menus");
  await page.getByRole("link", { name: "Collections" }).click();
  await heading("Collections").waitFor();
  await look("collections");

  await page.getByRole("link", { name: "Entries" }).click();
  await page.getByRole("link", { name: "Harvest at last" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await notice("“Harvest at last” deleted. You can restore it for 30 days.");
  assert.equal((await page.request.get(`${product.address}/blog/harvest-at-last`)).status(), 404);
  await page.getByRole("link", { name: "Deleted" }).click();
  await page.getByRole("button", { name: "Restore Harvest at last" }).click();
  await notice("“Harvest at last” restored.");
});

step("a picture is uploaded, described, deleted and restored", async () => {
  await page.goto(at("/content/media"));
  await heading("Media").waitFor();
  await look("no media");
  await page.locator("input[type=file]").setInputFiles({ name: "fig.png", mimeType: "image/png", buffer: png() });
  await notice("“fig.png” uploaded.");
  await page.getByRole("button", { name: "fig.png" }).click();
  await page.getByRole("dialog").getByText("Not used anywhere.").waitFor();
  await page.getByLabel("Alt text", { exact: true }).fill("A ripe fig");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByLabel("Search by name or description").fill("ripe");
  await page.getByRole("button", { name: "fig.png A ripe fig" }).waitFor();
  await look("media");
  await page.getByRole("button", { name: "fig.png" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await notice("“fig.png” deleted. You can restore it for 30 days.");
  await page.getByText("No results").waitFor();
  await page.getByRole("link", { name: "Deleted" }).click();
  await page.getByRole("button", { name: "Restore fig.png" }).click();
  await notice("“fig.png” restored.");
});
