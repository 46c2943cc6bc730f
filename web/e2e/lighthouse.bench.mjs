// Lighthouse on the published home page of each starter. Prints one line of JSON for `cargo xtask bench lighthouse`.
//
// Lighthouse is fetched by npm when it is needed: it is 185 MB, which would make every `npm ci` slow.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startProduct } from "./product.mjs";

const LIGHTHOUSE = "lighthouse@12.8.2";
const STARTERS = ["example", "product", "restaurant", "portfolio", "empty"];
const FLAGS = "--headless=new --no-sandbox --disable-gpu";
const REPORT_MAX = 64 * 1024 * 1024;

const run = promisify(execFile);
const found = {};
for (const starter of STARTERS) {
  const product = await startProduct([`first_site=${starter}`]);
  try {
    await publish(product, starter);
    found[starter] = await audit(`${product.address}/`);
  } finally {
    await product.stop();
  }
}
process.stdout.write(`${JSON.stringify(found)}\n`);

async function publish(product, starter) {
  const token = new URL(product.setupLink).hash.replace("#token=", "");
  const body = JSON.stringify({
    token,
    email: "ada@example.com",
    password: "correct horse battery",
    siteName: "Oak & Ember",
  });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${product.address}/admin/api/setup`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  // Lighthouse measures nothing on a blank page: the empty site gets what the built-in commands build, and a description.
  if (starter === "empty") {
    await product.run("chat", "a landing page for a bakery with hero, features, pricing and contact");
    const { documents } = await product.callTool("list_documents", {});
    const { document } = documents.find(({ title }) => title === "Home");
    await product.callTool("updatePageSettings", {
      pageId: document.id,
      description: "Bread and cakes, baked every morning.",
    });
  }
  await product.run("publish");
}

/** The scores of an address from 0 to 100 by category, and the names of the audits that failed. */
async function audit(address) {
  const words = ["exec", "--yes", LIGHTHOUSE, "--", address, "--quiet", "--output=json", `--chrome-flags=${FLAGS}`];
  const env = { ...process.env, CHROME_PATH: process.env.CHROMIUM ?? "/usr/bin/chromium" };
  const { stdout } = await run("npm", words, { env, maxBuffer: REPORT_MAX });
  const { categories, audits, runtimeError } = JSON.parse(stdout);
  if (runtimeError) throw new Error(runtimeError.message);
  const scores = Object.values(categories).map(({ id, score }) => [id, Math.round(score * 100)]);
  const judged = Object.values(categories).filter(({ id }) => id !== "performance");
  const ids = judged.flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => id));
  const failed = [...new Set(ids)].filter((id) => audits[id].score !== null && audits[id].score < 1);
  return { ...Object.fromEntries(scores), failed };
}
