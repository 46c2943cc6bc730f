// The assistant in the browser: with the built-in commands on a fresh data folder, and with a provider that does what it is told.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { startLine } from "./line.mjs";
import { startProduct } from "./product.mjs";
import { startProvider } from "./provider.mjs";
import { ask as askServer, setUp, stepsOf } from "./steps.mjs";

const LANDING = "build a landing page with hero, pricing and footer";

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
  await setUp(page, product);
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

const step = stepsOf("agent", () => visitor);

const at = (path) => `${product.address}/admin${path}`;
const panel = (tab = page) => tab.getByRole("complementary", { name: "Assistant" });
const message = (tab = page) => panel(tab).getByLabel("Message");
const button = (name, tab = page) => panel(tab).getByRole("button", { name, exact: true });
const log = (tab = page) => panel(tab).getByRole("log");
const canvas = (tab = page) => tab.frameLocator("iframe[data-frame=desktop]");
const closing = (tab = page) => panel(tab).getByRole("group", { name: "What changed" }).last();

const newPage = (title) => ({ id: `add-${title}`, name: "addPage", input: { title } });

/** Asks again and again until it is so; what is asked takes its time by itself. */
async function until(isSo) {
  while (!(await isSo()));
}

async function ask(text, tab = page) {
  await message(tab).fill(text);
  await message(tab).press("Enter");
}

step("without a provider the panel says so, and offers the built-in commands", async () => {
  await page.keyboard.press("ControlOrMeta+i");
  await panel().getByRole("heading", { name: "Connect an AI provider" }).waitFor();
  assert.equal(await message().getAttribute("placeholder"), "Add AI credentials to start chatting");
  assert.equal(await message().isDisabled(), true);
  assert.equal(await button("Send").getAttribute("title"), "Add AI credentials first");
  assert.equal(
    await panel()
      .getByRole("button", { name: /Model$/ })
      .count(),
    0,
  );
  assert.equal(await panel().getByRole("link", { name: "Add a provider" }).getAttribute("href"), "/admin/ai");
  await button("AI settings").waitFor();
  await button("New chat").waitFor();
  assert.equal(await button("Clear conversation").count(), 0);
  await panel().getByText("Built-in commands (no AI)").waitFor();
  await button("All commands").click();
  await panel().getByRole("heading", { name: "Colours, fonts and sizes" }).waitFor();
  await assertFits(page, "panel without a provider");
  await assertAccessible(page, "panel without a provider");
  await button("Use the built-in commands").click();
  await panel().getByRole("heading", { name: "Built-in commands" }).waitFor();
  assert.equal(await message().isDisabled(), false);
  assert.equal(await panel().getByRole("progressbar").count(), 0, "built-in commands have no window");
});

step(
  "an example can be taken over, what was written stays over pages and a reload, and the panel stays open",
  async () => {
    await button("All commands").click();
    await button("add a page called Team").click();
    assert.equal(await message().inputValue(), "add a page called Team");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.waitForURL("**/admin/settings**");
    await page.reload();
    await panel().waitFor();
    assert.equal(await message().inputValue(), "add a page called Team");
  },
);

step("the built-in commands change the site in the open editor, at once and in plain words", async () => {
  await page.goto(at("/site"));
  await page.getByText("Saved", { exact: true }).waitFor();
  await ask(LANDING);
  await canvas().getByText("Your price").first().waitFor();
  await closing().getByRole("link", { name: "Home" }).waitFor();
  await closing().getByText("section.pricing").first().waitFor();
  await closing().getByText("Before and after").click();
  await closing()
    .getByText(/pricing.* added/i)
    .first()
    .waitFor();
  await log().getByText("Added content").first().waitFor();
  assert.equal(await panel().getByText(/\$/).count(), 0, "built-in commands cost nothing and say nothing");
  const entries = await askServer(page, "GET", "/admin/api/site/history");
  assert.ok(entries.changes.every(({ author }) => author.kind !== undefined));
  await assertFits(page, "panel after a turn");
  await assertAccessible(page, "panel after a turn");
});

step("the turn is reverted as a whole, and what somebody wrote meanwhile would be left", async () => {
  await closing().getByRole("button", { name: "Revert these changes" }).click();
  await closing().getByText("These changes were reverted.").waitFor();
  await canvas().getByText("Your price").first().waitFor({ state: "detached" });
});

step("a reload restores the conversation, and the history browses, restores and deletes", async () => {
  await page.reload();
  await log().getByText(LANDING).waitFor();
  await closing().getByText("section.pricing").first().waitFor();
  await button("New chat").click();
  await log().getByText(LANDING).waitFor({ state: "detached" });
  await ask("add a page called Team");
  await closing().getByText("Team").first().waitFor();
  await button("History").click();
  await panel()
    .getByRole("button", { name: new RegExp(`^${LANDING}`) })
    .click();
  await log().getByText(LANDING).waitFor();
  await button("History").click();
  await panel().getByRole("button", { name: "Delete “add a page called Team”" }).click();
  await page.getByRole("dialog", { name: "Delete this conversation?" }).getByRole("button", { name: "Delete" }).click();
  await button("History").click();
  await panel()
    .getByRole("button", { name: /^add a page called Team/ })
    .waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await button("Clear conversation").click();
  await page.getByRole("dialog").getByRole("button", { name: "Clear conversation" }).click();
  await log().getByText(LANDING).waitFor({ state: "detached" });
  assert.equal(await button("Clear conversation").count(), 0);
});

step("in Content it has a conversation of its own, and what it writes and takes back shows at once", async () => {
  await page.goto(at("/content"));
  const rows = page.getByRole("main");
  await rows.getByText("No entries yet").waitFor();
  await log().getByText("build a landing page").waitFor({ state: "detached" });
  assert.equal(await button("Plan first").count(), 0, "plans are for the site");
  await ask("write a post about winter tyres");
  await log()
    .getByText(/Started the draft “Winter tyres”/)
    .waitFor();
  await rows.getByRole("link", { name: "Winter tyres" }).waitFor();
  await closing().getByRole("link", { name: "Winter tyres" }).click();
  await page.waitForURL("**/admin/content/entry/*");
  await rows.getByRole("heading", { name: "Winter tyres", level: 1 }).waitFor();
  visitor.expectRefusal(404);
  await closing().getByRole("button", { name: "Revert these changes" }).click();
  await closing().getByText("These changes were reverted.").waitFor();
  await rows.getByText("There is no such entry.").waitFor();
  await page.goto(at("/content"));
  await rows.getByText("No entries yet").waitFor();
  await log().getByText("write a post about winter tyres").waitFor();
  await assertFits(page, "panel in content");
  await assertAccessible(page, "panel in content");
  await page.goto(at("/site"));
  await log().getByText("write a post about winter tyres").waitFor({ state: "detached" });
});

step("a plan of the built-in commands is accepted in part", async () => {
  await button("Plan first").click();
  await ask("add pricing and faq sections");
  const review = panel().getByRole("group", { name: "The plan" });
  await review.getByRole("checkbox").nth(1).uncheck();
  await review.getByRole("button", { name: "Accept 1 of 2" }).click();
  await review.getByText("Done: 1 step applied.").waitFor();
  await canvas().getByText("Your price").first().waitFor();
  assert.equal(await canvas().getByText("Questions people ask").count(), 0);
  await button("Plan first").click();
});

step("a turn is taken back as a whole in the history, and what somebody changed since is left and said", async () => {
  await ask("create pages for Blog, Press and Careers");
  await closing().getByText("Careers").first().waitFor();
  const pages = async () => JSON.stringify(await product.callTool("list_documents", {}));
  const { documents } = await product.callTool("list_documents", {});
  const press = documents.find(({ title }) => title === "Press");
  await product.callTool("renamePage", { pageId: press.document.id, title: "News" });
  await page.getByText("News").first().waitFor();
  await page.getByRole("main").getByRole("button", { name: "History", exact: true }).click();
  const history = page.getByRole("dialog", { name: "History" });
  await history
    .getByText(/^\d+ changes for one request/)
    .first()
    .waitFor();
  await history.getByRole("button", { name: "Revert these changes" }).first().click();
  await history.getByText("Reverted, except 1 thing that someone has changed since.").waitFor();
  assert.doesNotMatch(await pages(), /Blog|Careers/);
  assert.match(await pages(), /News/);
  await history.getByRole("button", { name: "Close" }).click();
});

step("what must be asked is asked in the conversation, and decided there", async () => {
  await ask("delete the team page");
  const card = log().getByRole("article", { name: "Delete a page" });
  await card.getByText("Removes 1 page: “Team”").waitFor();
  await panel().locator("header").getByText("Waiting", { exact: true }).waitFor();
  await assertAccessible(page, "an approval in the panel");
  await card.getByRole("button", { name: /^Approve/ }).click();
  await closing().getByText("Team").waitFor();
  assert.doesNotMatch(JSON.stringify(await product.callTool("list_documents", {})), /Team/);
});

step(
  "the first credential becomes the default everywhere, the panel says so and sends the last request again",
  async () => {
    await ask("write a poem about bread");
    await log().getByText("That takes an AI model").waitFor();
    await askServer(page, "POST", "/admin/api/ai/credentials", {
      providerId: "anthropic",
      label: "Main",
      apiKey: "sk-ant-test",
      baseUrl: provider.url,
    });
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await panel().getByText("Claude Opus 5.5 is now the default everywhere.").waitFor();
    provider.plan({ text: ["Flour, ", "water, **salt**."] });
    await button("Send the last request again").click();
    await log().getByText("Flour, water, salt.").waitFor();
    assert.match(JSON.stringify(provider.requests.at(-1)), /poem about bread/);
    await panel().getByRole("progressbar", { name: "1.2k of 1M tokens of context used" }).waitFor();
    await panel()
      .getByText(/^(less than )?\$0\.0|Price unknown/)
      .waitFor();
    await page.reload();
    await panel().getByRole("progressbar", { name: "1.2k of 1M tokens of context used" }).waitFor();
  },
);

step("without a default a model is chosen inline, which unlocks the composer", async () => {
  await button("New chat").click();
  await askServer(page, "DELETE", "/admin/api/ai/defaults/site");
  await page.reload();
  await panel().getByRole("heading", { name: "Choose a model to get started" }).waitFor();
  assert.equal(await message().getAttribute("placeholder"), "Choose a model below to start");
  assert.equal(await button("Send").getAttribute("title"), "Choose a model first");
  await panel().getByRole("link", { name: "set a default in AI settings" }).waitFor();
  await assertAccessible(page, "panel without a model");
  await panel().getByRole("button", { name: "Choose a model Model" }).click();
  await panel().getByRole("button", { name: "Claude Opus 5.5", exact: true }).click();
  await panel().getByRole("button", { name: "Claude Opus 5.5 Model" }).waitFor();
  assert.equal(await message().isDisabled(), false);
  await panel().getByRole("progressbar", { name: "0 of 1M tokens of context used" }).waitFor();
});

step("an answer streams in, says what it is at, takes up what is said meanwhile, and can be stopped", async () => {
  provider.plan({ text: ["I begin", " and never end"], hold: true });
  await ask("tell me something long");
  await log().getByText("I begin").waitFor();
  await panel().locator("header").getByText("Working").waitFor();
  await panel().getByRole("status").getByText("Writing").waitFor();
  await assertAccessible(page, "panel while it streams");
  await ask("and be brief");
  await log().getByText("Queued").waitFor();
  provider.plan({ text: ["Brief, then."] });
  provider.goOn();
  await log().getByText("Brief, then.").waitFor();
  provider.plan({ text: ["Once more", "…"], hold: true });
  await ask("again");
  await log().getByText("Once more").waitFor();
  await button("Stop").click();
  await log().getByText("You stopped it. Changes made so far are kept.").waitFor();
});

step("a stream that breaks, a bad key and a provider that asks to wait say what happened and what to do", async () => {
  provider.plan({ text: ["Half an ans"], hold: true, breaks: true });
  await ask("tell me more");
  await log().getByText("Half an ans").waitFor();
  provider.goOn();
  await log()
    .getByText(/^The (answer was cut off|provider did not answer)$/)
    .waitFor();
  provider.plan({ status: 401, message: "invalid x-api-key" });
  await ask("and now?");
  await log().getByText("The key was not accepted").waitFor();
  await log()
    .getByText(/invalid x-api-key/)
    .waitFor();
  await button("Check the key").waitFor();
  await assertAccessible(page, "a failure");
  provider.plan(
    ...Array.from({ length: 3 }, () => ({ status: 429, message: "slow down", headers: { "retry-after": "0" } })),
  );
  await ask("once more");
  await log().getByText("The provider’s rate limit was reached").waitFor();
  await button("Send again").waitFor();
});

step("a tab that is closed in the middle of a turn loses nothing", async () => {
  const tab = await visitor.context.newPage();
  await tab.goto(at("/site"));
  await tab.getByText("Saved", { exact: true }).waitFor();
  provider.plan(
    { text: ["Working on it", "."], hold: true, calls: [{ id: "c1", name: "addPage", input: { title: "Harbour" } }] },
    { text: ["The page is there."] },
  );
  await button("New chat", tab).click();
  await ask("add a page called Harbour", tab);
  await log(tab).getByText("Working on it").waitFor();
  await tab.close();
  provider.goOn();
  await page.goto(at("/"));
  await log().getByText("The page is there.").waitFor();
  await closing().getByText("Harbour").first().waitFor();
});

step("a tab without a network in the middle of a turn says so, and misses nothing when it is back", async () => {
  const line = await startLine(product.address);
  try {
    const tab = await visitor.context.newPage();
    await tab.goto(`${line.address}/admin/`);
    await tab.getByRole("navigation", { name: "Main" }).waitFor();
    await tab.keyboard.press("ControlOrMeta+i");
    await panel(tab).getByRole("button", { name: "Choose a model Model" }).click();
    await panel(tab).getByRole("button", { name: "Claude Opus 5.5", exact: true }).click();
    provider.plan(
      { text: ["The first half", " and the second."], hold: true, calls: [newPage("Lighthouse")] },
      { text: ["All of it is there."] },
    );
    const asked = provider.requests.length;
    await ask("go on without me", tab);
    await log(tab).getByText("The first half").waitFor();
    await visitor.context.setOffline(true);
    line.cut();
    await panel(tab).getByText("Connection lost. The assistant keeps working. Reconnecting…").waitFor();
    await assertAccessible(tab, "panel without a network");
    provider.goOn();
    await until(async () => JSON.stringify(await product.callTool("list_documents", {})).includes("Lighthouse"));
    line.restore();
    await visitor.context.setOffline(false);
    await log(tab).getByText("All of it is there.").waitFor();
    await closing(tab).getByText("Lighthouse").first().waitFor();
    for (const words of ["The first half and the second.", "All of it is there.", "go on without me"]) {
      assert.equal(await log(tab).getByText(words, { exact: true }).count(), 1, words);
    }
    assert.equal(provider.requests.length - asked, 2, "no round is asked for twice");
    const { documents } = await product.callTool("list_documents", {});
    assert.equal(documents.filter(({ title }) => title === "Lighthouse").length, 1);
    line.cut();
    await ask("are you there?", tab);
    await panel(tab).getByText("Can’t reach Sitewright.", { exact: false }).first().waitFor();
    assert.equal(await message(tab).inputValue(), "are you there?", "what could not be sent comes back");
    line.restore();
    provider.plan({ text: ["I am."] });
    await message(tab).press("Enter");
    await log(tab).getByText("I am.", { exact: true }).waitFor();
    assert.equal(await log(tab).getByText("are you there?", { exact: true }).count(), 1);
    assert.equal(provider.requests.length - asked, 3, "what was not sent was not asked");
    await tab.close();
  } finally {
    await line.stop();
  }
});

step("a plan is looked at and accepted in part", async () => {
  await page.goto(at("/site"));
  await page.getByText("Saved", { exact: true }).waitFor();
  await button("Plan first").click();
  const plan = {
    intent: "edit_plan",
    summary_for_user: "Two pages would be added.",
    change_log: ["Adds Boats.", "Adds Nets."],
    ops: [
      { op: "create_page", title: "Boats", html: "<h1>Boats</h1>" },
      { op: "create_page", title: "Nets", html: "<h1>Nets</h1>" },
    ],
    suggested_next_actions: [],
  };
  provider.plan({ calls: [{ id: "p1", name: "submit_edit_plan", input: plan }] });
  await ask("plan two pages");
  const review = panel().getByRole("group", { name: "The plan" });
  await review.getByLabel("Adds Nets.").uncheck();
  await assertAccessible(page, "a plan");
  await review.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("dialog", { name: "Preview of this plan" });
  await preview.frameLocator("iframe").getByRole("heading", { name: "Boats" }).waitFor();
  await preview.getByRole("button", { name: "Close" }).click();
  await review.getByRole("button", { name: "Accept 1 of 2" }).click();
  await review.getByText("Done: 1 step applied.").waitFor();
  const documents = JSON.stringify(await product.callTool("list_documents", {}));
  assert.match(documents, /Boats/);
  assert.doesNotMatch(documents, /Nets/);
  await button("Plan first").click();
});

step(
  "a write in another document brings it onto the canvas, and a person's edit stays when the turn is reverted",
  async () => {
    const { documents } = await product.callTool("list_documents", {});
    const boats = documents.find(({ title }) => title === "Boats");
    const input = {
      parentId: boats.rootNodeId,
      html: "<section><h2>Cutters</h2></section><section><h2>Ketches</h2></section>",
    };
    provider.plan({ calls: [{ id: "w1", name: "insertHtml", input }] }, { text: ["Both are there."] });
    await ask("add cutters and ketches to Boats");
    await page.waitForURL(`**/admin/site/${boats.document.id}`);
    await canvas().getByRole("heading", { name: "Cutters" }).waitFor();
    await closing().getByText("2 elements added").waitFor();
    await closing().getByRole("link", { name: "Boats" }).waitFor();
    const home = JSON.stringify(await product.callTool("read_document", { document: boats.document })).replaceAll(
      '\\"',
      '"',
    );
    const [, ketches] = /<section[^>]* uid="(\w+)"[^>]*><h2[^>]*>Ketches/.exec(home) ?? [];
    assert.ok(ketches, home);
    await product.callTool("renameNode", { nodeId: ketches, label: "Mine" });
    await closing().getByRole("button", { name: "Revert these changes" }).click();
    await closing()
      .getByText(/^These changes were reverted, except \d+ parts? that someone has changed since\.$/)
      .waitFor();
    await canvas().getByRole("heading", { name: "Cutters" }).waitFor({ state: "detached" });
    await canvas().getByRole("heading", { name: "Ketches" }).waitFor();
  },
);

step("a document that the assistant opens is the one the editor shows", async () => {
  const { documents } = await product.callTool("list_documents", {});
  for (const wanted of ["Home", "Boats"]) {
    const { document } = documents.find(({ title }) => title === wanted);
    const call = { id: `open-${wanted}`, name: "open_document", input: { document } };
    provider.plan({ calls: [call] }, { text: [`${wanted} is open.`] });
    await ask(`show me ${wanted}`);
    await page.waitForURL(`**/admin/site/${document.id}`);
    await log().getByText(`${wanted} is open.`).waitFor();
  }
});

/** What the model was shown last: the answer of the tool and the picture beside it. */
function lastLook() {
  const content = provider.requests
    .at(-1)
    .messages.at(-1)
    .content.find(({ type }) => type === "tool_result").content;
  const image = content.find(({ type }) => type === "image");
  const bytes = image && Buffer.from(image.source.data, "base64");
  const size = bytes && { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  return { ...JSON.parse(content.find(({ type }) => type === "text").text).data, size };
}

step(
  "the assistant sees the page: its layout in words and a picture of it, also of one part at one width",
  async () => {
    // The picture that is missing.
    visitor.expectRefusal(404);
    const { documents } = await product.callTool("list_documents", {});
    const boats = documents.find(({ title }) => title === "Boats");
    const html =
      '<div style="min-height:5000px"><p style="width:3000px">Wide</p><img src="/nothing.png" alt="">' +
      '<p style="color:#fff;background:#fff">Unseen</p></div>';
    const { nodeIds } = await product.callTool("insertHtml", { parentId: boats.rootNodeId, html });
    await canvas().getByText("Wide").waitFor();
    const look = (id, input) =>
      provider.plan({ calls: [{ id, name: "render_snapshot", input }] }, { text: [`Seen ${id}.`] });
    look("s1", {});
    await ask("look at the page");
    await log().getByText("Seen s1.").waitFor();
    const whole = lastLook();
    assert.deepEqual([...new Set(whole.layout.warnings.map(({ kind }) => kind))].sort(), [
      "brokenImage",
      "invisible",
      "overflow",
    ]);
    assert.ok(
      whole.layout.viewport.scrollHeight > 5000 && whole.layout.viewport.scrollWidth > 2000,
      JSON.stringify(whole),
    );
    assert.equal(whole.size.height, 1568);
    look("s2", { nodeId: nodeIds[0], breakpointId: "mobile" });
    await ask("look at that part on a phone");
    await log().getByText("Seen s2.").waitFor();
    const part = lastLook();
    assert.equal(part.layout.nodeId, nodeIds[0]);
    assert.deepEqual([part.layout.boxes[0].x, part.layout.boxes[0].y], [0, 0]);
    assert.ok(part.width < 500 && part.layout.viewport.width === part.width, JSON.stringify(part.layout.viewport));
    assert.ok(part.size.width < part.size.height, JSON.stringify(part.size));
  },
);

step("pages are mentioned by name with the keyboard alone", async () => {
  await message().focus();
  await page.keyboard.type("open @boa");
  await panel().getByRole("option", { name: /Boats/ }).waitFor();
  await panel().getByRole("combobox", { name: "Message", expanded: true }).waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await message().inputValue(), "open the Boats page ");
  await message().fill("");
});

step("everything is reachable with the keyboard, and closing gives the focus back", async () => {
  await message().focus();
  for (const name of ["Claude Opus 5.5 Model", "Add pictures", "Plan first", "Send"]) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(
      () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent,
    );
    assert.ok(focused?.includes(name.replace(" Model", "")), `${name} comes next and not ${focused}`);
  }
  await page.keyboard.press("ControlOrMeta+i");
  await panel().waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Assistant");
  await page.keyboard.press("Enter");
  await panel().waitFor();
});

step("on a phone it covers the page, and fits", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(at("/"));
  await panel().waitFor();
  const box = await panel().boundingBox();
  assert.ok(box !== null && box.width >= 370, JSON.stringify(box));
  await assertFits(page, "panel on a phone");
  await assertAccessible(page, "panel on a phone");
  await button("Close the assistant").click();
  await page.getByRole("button", { name: "Assistant" }).click();
  await panel().waitFor();
});
