// The corpus of crates/site/tests/vectors in Chromium: whichever way it comes into a site, nothing of it runs for visitors on a host
// that the administration shares, on a host of their own, for whoever has a link to the draft, or in an exported folder.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launchBrowser, PATIENCE_MS } from "./browser.mjs";
import { startProduct } from "./product.mjs";

const FOLDER = new URL("../../crates/site/tests/vectors/", import.meta.url);
/** The host of the administration in the product that has one; nobody needs to resolve it. */
const ADMIN_HOST = "admin.example";
/** Shows the title of the page, which is an attack as well, where the parser reads text in other ways. */
const BOUND =
  "<noscript><xmp>{page.title}</xmp></noscript><iframe>{page.title}</iframe><svg><style>{page.title}</style></svg>" +
  '<a href="{page.title}">x</a><p title="{page.title}">{page.title}</p>';

let browser;
let shared;
let own;
let vectors;

before(async () => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".json")).sort();
  const classes = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(new URL(name, FOLDER), "utf8"))),
  );
  vectors = classes.flatMap((each) => each.vectors);
  assert.ok(vectors.length >= 300);
  [browser, shared, own] = await Promise.all([
    launchBrowser(),
    startSite([], undefined),
    startSite([`admin_url=http://${ADMIN_HOST}`], ADMIN_HOST),
  ]);
  await Promise.all([shared.build(), own.build()]);
});

after(async () => {
  await browser?.close();
  await shared?.product.stop();
  await own?.product.stop();
});

/** A product with a token, and what the tests ask of it. */
async function startSite(settings, host) {
  const product = await startProduct(settings);
  const made = await product.run("token", "create", "--name", "vectors", "--capabilities", "all", "--json");
  const { token } = JSON.parse(made);
  const ask = (method, path, body) => send(product.address, { method, path, body, host, token });
  const call = async (tool, args) => {
    const answer = await ask("POST", "/tools/call", { tool, scope: "site", arguments: args, confirmed: true });
    assert.equal(answer.ok, true, `${tool} ${JSON.stringify(args)}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const pages = [];
  return {
    product,
    ask,
    pages,
    /** Makes a page of each vector and publishes them. */
    async build() {
      for (const [number, vector] of vectors.entries()) {
        const { pageId } = await call("addPage", { title: `Vector ${number}`, slug: `vector-${number}` });
        const { body } = await ask("GET", `/admin/api/site/document?body=${pageId}`);
        const root = body.nodes[0].id;
        await call("insertHtml", { parentId: root, html: `${vector}` }).catch(refusal);
        await call("insertHtml", { parentId: root, html: BOUND });
        await call("renamePage", { pageId, title: vector }).catch(refusal);
        pages.push(pageId);
      }
      const published = await ask("POST", "/admin/api/site/publish", {});
      assert.ok(published.release, JSON.stringify(published));
    },
  };
}

/** What is refused is not on the page, and that is as good. Anything but a refusal is a failure. */
function refusal(error) {
  assert.match(error.message, /"code":"(invalid_input|too_large)"/);
}

/** A request whose host can be chosen, unlike one by fetch. */
function send(address, { method, path, body, host, token }) {
  const url = new URL(path, address);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  if (host !== undefined) headers.host = host;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, async (response) => {
      try {
        const parts = await response.toArray();
        resolve(JSON.parse(Buffer.concat(parts).toString()));
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

/** A visitor who notices whatever runs, and acts on everything that could be acted on. */
async function openWatcher() {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const ran = [];
  await context.exposeFunction("reportAlert", (text) => ran.push(`alert(${text})`));
  await context.addInitScript(() => {
    window.alert = (text) => window.reportAlert?.(String(text));
  });
  const page = await context.newPage();
  page.on("dialog", (dialog) => {
    ran.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on("pageerror", (error) => ran.push(`an error of a script: ${error.message}`));
  page.on("console", (message) => {
    // A policy that stopped something says so; on these pages there must be nothing to stop.
    if (/event handler|inline script|javascript: URL|Refused to run/i.test(message.text())) ran.push(message.text());
  });
  return {
    close: () => context.close(),
    async assertNothingRuns(address, vector) {
      await page.goto(address, { waitUntil: "load" });
      const found = await page.evaluate(actOnEverything);
      assert.deepEqual([...found, ...ran], [], `${address}: ${vector}`);
    },
    async visit(address) {
      await page.goto(address, { waitUntil: "load" });
      await page.evaluate(actOnEverything);
      return ran.splice(0);
    },
  };
}

/** Runs in the page: fires what handlers wait for, and lists what is left of code. */
async function actOnEverything() {
  const found = [];
  const runs = /^[\s\p{Cc}]*(javascript|vbscript|data:text\/html)/iu;
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (element instanceof HTMLTemplateElement) roots.push(element.content);
      if (element.localName === "script" && element.type !== "application/ld+json") found.push("a script");
      for (const { name, value } of element.attributes) {
        if (/^on./i.test(name) || name === "srcdoc") found.push(`${element.localName} ${name}`);
        if (/(href|src|action|data|to|from|values)$/i.test(name) && runs.test(value))
          found.push(`${element.localName} ${name}`);
      }
      for (const type of ["click", "mouseover", "focus", "error", "load", "toggle", "animationstart"]) {
        const event = new Event(type, { bubbles: false, cancelable: true });
        // Following a link would leave the page.
        element.addEventListener(type, (own) => own.preventDefault(), { once: true });
        element.dispatchEvent(event);
      }
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
  return found;
}

async function assertAllSilent(addresses) {
  const watcher = await openWatcher();
  for (const [number, address] of addresses.entries()) await watcher.assertNothingRuns(address, vectors[number]);
  await watcher.close();
}

const published = (site) => vectors.map((_, number) => `${site.product.address}/vector-${number}`);

test("what runs is noticed", async () => {
  const watcher = await openWatcher();
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<!doctype html><p onclick=alert(1)>x</p><img src=x onerror=alert(2)><script>alert(3)</script>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ran = await watcher.visit(`http://127.0.0.1:${server.address().port}/`);
  assert.deepEqual([...new Set(ran)].sort(), ["alert(1)", "alert(2)", "alert(3)"]);
  await watcher.close();
  server.closeAllConnections();
  server.close();
});

test("nothing runs on a host that the administration shares", () => assertAllSilent(published(shared)));

test("nothing runs on a host of its own", async () => {
  await assertAllSilent(published(own));
  const answer = await fetch(`${own.product.address}/vector-0`);
  assert.match(answer.headers.get("content-security-policy"), /^script-src 'none'/);
});

test("nothing runs for whoever has a link to the draft", async () => {
  const addresses = [];
  for (const pageId of shared.pages) {
    const { url } = await shared.ask("POST", "/admin/api/site/preview-link", { pageId });
    addresses.push(new URL(new URL(url).pathname, shared.product.address).href);
  }
  await assertAllSilent(addresses);
});

test("nothing runs in an exported folder, which is served without any headers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewright-export-"));
  const server = createServer(async (asked, response) => {
    const path = join(folder, new URL(asked.url, "http://here").pathname, "index.html");
    const page = await readFile(path).catch(() => undefined);
    response.statusCode = page ? 200 : 404;
    // Without an encoding, so that the page itself has to say it.
    response.setHeader("content-type", "text/html");
    response.end(page);
  });
  try {
    await shared.product.run("export", folder);
    const headers = await readFile(join(folder, "_headers"), "utf8");
    assert.match(headers, /Content-Security-Policy: script-src 'none'/);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address();
    await assertAllSilent(vectors.map((_, number) => `http://127.0.0.1:${port}/vector-${number}`));
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
