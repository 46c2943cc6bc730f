// The sections of the design library on pages whose look is somebody else's stylesheet: every section of the library at once, in
// both schemes, at three widths, with short texts and with long ones.
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { lengthenTexts, pageOf, readSections, signUp } from "./library.mjs";
import { startProduct } from "./product.mjs";

const THEMES = {
  bootstrap: "bootstrap/dist/css/bootstrap.min.css",
  bulma: "bulma/css/bulma.min.css",
  pico: "@picocss/pico/css/pico.min.css",
};
const WIDTHS = [1440, 768, 390];

let product;
let browser;
let folder;

before(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
  folder = await mkdtemp(join(tmpdir(), "sitewright-themes-"));
  const visitor = await openVisitor(browser);
  await signUp(visitor.page, product);
  const html = pageOf(await readSections(visitor.page, product));
  for (const [theme, path] of Object.entries(THEMES)) {
    await copyFile(createRequire(import.meta.url).resolve(path), join(folder, `${theme}.css`));
    const link = `<link rel="stylesheet" href="${theme}.css">`;
    await writeFile(
      join(folder, `${theme}.html`),
      `<!doctype html><html lang="en"><title>${theme}</title>${link}<body>`,
    );
    const { rootNodeId } = JSON.parse(await product.run("import", join(folder, `${theme}.html`), "--json"));
    await product.callTool("insertHtml", { parentId: rootNodeId, html });
  }
  await product.run("publish");
  await visitor.finish();
});

after(async () => {
  await browser?.close();
  await product?.stop();
  if (folder) await rm(folder, { recursive: true });
});

for (const theme of Object.keys(THEMES)) {
  for (const width of WIDTHS) {
    test(`every section is legible and fits ${width} px on ${theme}`, async () => {
      const visitor = await openVisitor(browser, { width });
      const { page } = visitor;
      await page.goto(`${product.address}/${theme}`);
      // Colours that are on their way from one scheme to the other are nobody's design.
      await page.addStyleTag({ content: "* { transition: none !important; }" });
      await assertFits(page, `${theme} at ${width} px`);
      await assertAccessible(page, `${theme} at ${width} px`, ["color-contrast"]);
      await page.evaluate(lengthenTexts);
      await assertFits(page, `${theme} with long texts at ${width} px`);
      await visitor.finish();
    });
  }
}
