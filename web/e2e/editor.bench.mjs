// What selecting and typing cost on a large page against a small one, and how much the editor loads at first. Prints one line
// of JSON for `cargo xtask bench editor`. Both pages are measured in one Chromium, by turns, so that whatever else runs slows both.
import { launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";

const SMALL = 500;
const LARGE = 10_000;
const ROUNDS = 25;
/** Tools take at most so much HTML at once. */
const CHUNK = 2_000;

/** Sections of 20 nodes, as pages are made: boxes, headings and texts. */
function sections(nodes) {
  const one = (at) =>
    `<section class="s"><h2>Heading ${at}</h2>${`<p>Some words about it, <b>and more</b> of them.</p>`.repeat(3)}</section>`;
  const nodesOfOne = 3 + 3 * 5;
  return Array.from({ length: Math.ceil(nodes / nodesOfOne) }, (_, at) => one(at)).join("");
}

async function makePage(product, title, nodes) {
  const { pageId, rootNodeId } = await product.callTool("addPage", { title });
  for (let made = 0; made < nodes; made += CHUNK) {
    const html = sections(Math.min(CHUNK, nodes - made));
    await product.callTool("insertHtml", { parentId: rootNodeId, html });
  }
  return pageId;
}

async function signUp(page, setupLink) {
  await page.goto(setupLink);
  await page.getByLabel("Site name").fill("Northwind");
  await page.getByLabel("Your name").fill("Ana Martins");
  await page.getByLabel("Email").fill("ana@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Create the site" }).click();
  await page.getByRole("link", { name: "Site", exact: true }).waitFor();
}

/** The bytes that come over the wire until the editor shows a page. */
async function firstLoad(browser, visitor, address) {
  const context = await browser.newContext({ storageState: await visitor.context.storageState() });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(`${address}/admin/site`);
  await shown(page);
  await page.waitForLoadState("load");
  await context.close();
  return bytes;
}

const frame = (page) => page.frameLocator("iframe[data-frame=desktop]");
const shown = (page) => frame(page).locator("body[data-sw-node]").waitFor({ state: "attached" });

async function openPage(context, address, id) {
  const page = await context.newPage();
  await page.goto(`${address}/admin/site/${id}`);
  await frame(page).locator("h2").first().waitFor();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByRole("tab", { name: "Layers" }).click();
  await page.getByRole("treeitem").first().waitFor();
  await page.evaluate(prepare);
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, session };
}

/** Runs in the page: the steps that are measured, each done when the screen was drawn with what it changed. */
function prepare() {
  const frame = document.querySelector("iframe[data-frame=desktop]").contentDocument;
  const drawn = () =>
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  const heading = (round) => frame.querySelectorAll("h2")[2 + (round % 8)];
  const click = (element) => {
    const box = element.getBoundingClientRect();
    const at = { bubbles: true, cancelable: true, clientX: box.left + 4, clientY: box.top + 4, detail: 1 };
    element.dispatchEvent(new MouseEvent("click", at));
    return drawn();
  };
  window.steps = {
    select: (round) => click(heading(round)),
    open: (round) => click(heading(round)),
    write() {
      if (!frame.execCommand("insertText", false, "x")) throw new Error("no text is open");
      return drawn();
    },
    leave() {
      const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
      frame.querySelector("sw-text").dispatchEvent(enter);
      return drawn();
    },
  };
}

/** How long the page's main thread works for a step, in milliseconds: scripts, styles, layout and drawing. */
async function work({ page, session }, step, round) {
  const worked = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const before = await worked();
  await page.evaluate(([name, at]) => window.steps[name](at), [step, round]);
  return (await worked()) - before;
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

const [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
try {
  const visitor = await openVisitor(browser);
  await signUp(visitor.page, product.setupLink);
  const address = product.address;
  const loaded = await firstLoad(browser, visitor, address);
  const ids = { small: await makePage(product, "Small", SMALL), large: await makePage(product, "Large", LARGE) };
  const pages = {
    small: await openPage(visitor.context, address, ids.small),
    large: await openPage(visitor.context, address, ids.large),
  };
  const steps = ["select", "open", "write", "leave"];
  const found = { small: {}, large: {} };
  for (const size of ["small", "large"]) for (const step of steps) found[size][step] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of ["small", "large"]) {
      await pages[size].page.bringToFront();
      for (const step of steps) found[size][step].push(await work(pages[size], step, round));
    }
  }
  const medians = (size) => Object.fromEntries(steps.map((step) => [step, median(found[size][step])]));
  process.stdout.write(`${JSON.stringify({ loaded, small: medians("small"), large: medians("large") })}\n`);
} finally {
  await browser.close();
  await product.stop();
}
