// The sections of the design library, put on pages of an empty site as the insert panel does and published: they fit every width,
// with short texts and with long ones, and shut nobody out in either scheme.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { lengthenTexts, pageOf, readSections, signUp } from "./library.mjs";
import { startProduct } from "./product.mjs";

const WIDTHS = [320, 390, 768, 1024, 1440, 1920];

let product;
let browser;
/** The addresses of the pages, each with at most one section of a family. */
const addresses = [];

before(async () => {
  [product, browser] = await Promise.all([startProduct(["first_site=empty"]), launchBrowser()]);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

test("every section can be inserted and published", async () => {
  const visitor = await openVisitor(browser);
  const { page } = visitor;
  await signUp(page, product);
  const sections = await readSections(page, product);
  assert.ok(sections.length >= 36, `${sections.length} sections`);
  for (const [at, families] of sheets(sections).entries()) {
    const { rootNodeId } = await product.callTool("addPage", { title: `Sheet ${at}`, slug: `sheet-${at}` });
    await product.callTool("insertHtml", { parentId: rootNodeId, html: pageOf(families) });
    addresses.push(`/sheet-${at}`);
  }
  const compared = await (await page.request.get(`${product.address}/admin/api/site/publish`)).json();
  for (const { address, problems } of compared.changes.filter(({ address }) => addresses.includes(address))) {
    assert.match(problems.join("\n"), /texts are still placeholders/, address);
  }
  await product.run("publish");
  await visitor.finish();
});

for (const width of WIDTHS) {
  test(`they fit ${width} px with short and with long texts`, async () => {
    const visitor = await openVisitor(browser, { width });
    const { page } = visitor;
    for (const address of addresses) {
      await page.goto(product.address + address);
      await assertFits(page, `${address} at ${width} px`);
      await page.evaluate(lengthenTexts);
      await assertFits(page, `${address} with long texts at ${width} px`);
    }
    await visitor.finish();
  });
}

test("they shut nobody out", async () => {
  const visitor = await openVisitor(browser);
  for (const address of addresses) {
    await visitor.page.goto(product.address + address);
    await assertAccessible(visitor.page, address);
  }
  await visitor.finish();
});

/** The first layouts of all families, then the second ones, and so on; pages for missing addresses are alone. */
function sheets(sections) {
  const found = [];
  const counts = new Map();
  for (const section of sections) {
    const at = counts.get(section.family) ?? 0;
    counts.set(section.family, at + 1);
    if (section.family === "404") found.push([section]);
    else if (found[at]?.[0].family !== "404" && found[at]) found[at].push(section);
    else found[at] = [section];
  }
  return found;
}
