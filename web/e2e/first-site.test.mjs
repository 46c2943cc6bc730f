// The site that a new installation begins with, as visitors see it once it is published.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, assertNothingMoved, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";

const POSTS = ["/blog/opening-the-kiln", "/blog/the-handle-comes-first", "/blog/a-bucket-from-the-river-bend"];
const PAGES = ["/", "/studio", "/classes", "/blog", "/visit", ...POSTS];
const WIDTHS = [320, 390, 768, 1280];

let product;
let browser;

before(async () => {
  [product, browser] = await Promise.all([startProduct(["first_site=example"]), launchBrowser()]);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

test("setting up brings a site that can be published as it is", async () => {
  const visitor = await openVisitor(browser);
  const { page } = visitor;
  await page.goto(product.setupLink);
  await page.getByLabel("Site name").fill("Oak & Ember");
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  const starters = page.getByRole("group", { name: "Start with" }).getByRole("radio");
  assert.equal(await starters.count(), 5);
  assert.equal(await starters.first().isChecked(), true);
  await page.getByRole("button", { name: "Create the site" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await page.goto(`${product.address}/admin/site`);
  const canvas = page.frameLocator("iframe[data-frame=desktop]");
  await canvas.getByRole("heading", { name: "Everyday things, made slowly" }).waitFor();
  assert.match(await product.run("publish"), /Published release 1 with 8 pages/);
  await visitor.finish();
});

for (const width of WIDTHS) {
  test(`its pages fit ${width} px and shut nobody out`, async () => {
    const visitor = await openVisitor(browser, { width });
    const { page } = visitor;
    visitor.expectRefusal(404);
    for (const path of [...PAGES, "/nowhere"]) {
      const answer = await page.goto(product.address + path);
      assert.equal(answer.status(), path === "/nowhere" ? 404 : 200, path);
      const name = `${path} at ${width} px`;
      await assertFits(page, name);
      await assertNothingMoved(page, name);
      await assertAccessible(page, name);
      await page.emulateMedia({ colorScheme: "light" });
      assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, name);
    }
    await visitor.finish();
  });
}

test("every link of the example leads somewhere", async () => {
  const visitor = await openVisitor(browser);
  const { page } = visitor;
  const found = new Set();
  for (const path of PAGES) {
    await page.goto(product.address + path);
    const links = await page.locator("a[href^='/']").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    for (const link of links) found.add(link);
    assert.equal(await page.getByRole("link", { name: "Oak & Ember" }).count(), 1, path);
  }
  assert.deepEqual([...found].sort(), [...PAGES].sort());
  await page.goto(`${product.address}/blog`);
  const titles = await page.locator("article").getByRole("link").allTextContents();
  assert.deepEqual(titles, ["Opening the kiln", "The handle comes first", "A bucket from the river bend"]);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
  await visitor.finish();
});
