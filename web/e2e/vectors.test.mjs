// The corpus of crates/site/tests/vectors in Chromium: put into a site by somebody who may not write code, nothing of it runs for
// visitors on a host that the administration shares, in a preview, in an exported folder, or on a host of the site's own.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launchBrowser, PATIENCE_MS } from "./browser.mjs";
import { startProduct } from "./product.mjs";

const FOLDER = new URL("../../crates/site/tests/vectors/", import.meta.url);
const PACKAGES = new URL("../../crates/site/tests/vector_packages.json", import.meta.url);
/** Where `cargo xtask test` puts packages that tests read. */
const PACKAGE_CACHE =
  process.env.SITEWRIGHT_PACKAGES ||
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sitewright/packages");
/** Anything that a browser could take for code, or that changes how it reads what follows. */
const COULD_RUN =
  /\bon\w+\s*=|script|<(svg|math|style|noscript|template|iframe|object|embed|xmp|textarea|title|form|meta|base|link)\b|<!|srcdoc|data:/i;
/** Everything that changes and publishes a site, without `site.code`. */
const CAPABILITIES = "site.read,site.write,site.publish,content.read,tools.read,tools.call";
/** Shows the title of the page where the parser reads text in different ways. */
const TITLE_PLACES =
  "<noscript><xmp>{page.title}</xmp></noscript><svg><title>{page.title}</title></svg>" +
  "<math><mtext>{page.title}</mtext></math><noembed>{page.title}</noembed><textarea>{page.title}</textarea>" +
  '<a href="{page.title}">x</a><p title="{page.title}">{page.title}</p>';

let browser;
let product;
let token;
/** By class: `{ name, vectors: [{ number, html }] }`, with numbers that count through. */
let classes;
/** The ids of the pages of the classes, by address. */
let pages;
/** The vectors that are titles of pages. */
const titled = [];

before(async () => {
  classes = await readCorpus();
  [browser, product] = await Promise.all([launchBrowser(), startProduct()]);
  const made = await product.run("token", "create", "--name", "vectors", "--capabilities", CAPABILITIES, "--json");
  token = JSON.parse(made).token;
  pages = await buildSite();
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

async function readCorpus() {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".json")).sort();
  let number = 1000;
  const read = [];
  for (const name of files) {
    const { vectors } = JSON.parse(await readFile(new URL(name, FOLDER), "utf8"));
    read.push({ name: name.replace(".json", ""), vectors: vectors.map((html) => ({ number: number++, html })) });
  }
  assert.ok(number - 1000 >= 300, "the corpus is not small");
  return read;
}

/** What a vector does is given its number, so that whatever runs names the vector. */
const armed = ({ number, html }, effect) => html.replaceAll("alert(1)", `${effect}(${number})`);

/**
 * A page for each class, with each vector in a section of its own: a page for each would take minutes to visit in every way. A title
 * is one to a page, so those are pages of their own, visited in one way.
 */
async function buildSite() {
  const ids = new Map();
  let refused = 0;
  for (const group of classes) {
    const added = await addClass(group, armed(group.vectors[0], "alert"));
    refused += added.refused;
    ids.set(`/class-${group.name}`, added.pageId);
  }
  const { pageId, rootNodeId } = await call("addPage", { title: "Titles", slug: "titles" });
  await call("insertHtml", { parentId: rootNodeId, html: TITLE_PLACES });
  for (const vector of allVectors()) {
    const copy = { pageId, title: armed(vector, "fetch"), slug: `title-${vector.number}` };
    if (await isAccepted("duplicatePage", copy)) titled.push(vector);
    else refused += 1;
  }
  // Control characters in titles are refused, for example.
  assert.ok(refused < allVectors().length / 10, `${refused} were refused, and the rest would prove little`);
  await publish();
  return ids;
}

/** Adds a page with each vector of a class in a section of its own, and tells how many were refused. */
async function addClass({ name, vectors }, title) {
  const { pageId, rootNodeId } = await call("addPage", { title, slug: `class-${name}` });
  const sections = vectors.map(({ number }) => `<section id="v${number}"></section>`).join("");
  const { nodeIds } = await call("insertHtml", { parentId: rootNodeId, html: sections });
  let refused = 0;
  for (const [index, vector] of vectors.entries()) {
    if (!(await isAccepted("insertHtml", { parentId: nodeIds[index], html: armed(vector, "alert") }))) refused += 1;
  }
  return { pageId, refused };
}

async function publish() {
  const published = await ask("POST", "/admin/api/site/publish", {});
  assert.ok(published.release, JSON.stringify(published));
}

/** What the tests of other sanitisers hold that could run, in classes of a hundred; empty where their packages were not fetched. */
async function readPackages() {
  const { packages } = JSON.parse(await readFile(PACKAGES, "utf8"));
  const found = new Set();
  for (const { name, version } of packages) {
    const folder = join(PACKAGE_CACHE, `${name}@${version}`, "tests");
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    for (const file of files.filter((name) => /\.(py|test)$/.test(name))) {
      const text = await readFile(join(folder, file), "utf8");
      for (const html of file.endsWith(".py") ? stringsWithTags(text) : [text]) found.add(html).add(unescaped(html));
    }
  }
  const vectors = [...found]
    .filter((html) => COULD_RUN.test(html))
    .map((html, index) => ({ number: 10_000 + index, html }));
  const count = Math.ceil(vectors.length / 100);
  return Array.from({ length: count }, (_, at) => ({
    name: `other-${at}`,
    vectors: vectors.slice(at * 100, at * 100 + 100),
  }));
}

/** A text of a program with what its escapes stand for. */
const unescaped = (text) =>
  text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([nt]))/gi, (_, wide, narrow, sign) =>
    sign ? { n: "\n", t: "\t" }[sign.toLowerCase()] : String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );

/** The strings of a Python program that contain a tag, as they are written. */
const stringsWithTags = (program) =>
  program
    .split("\n")
    .flatMap((line) => ['"', "'"].flatMap((quote) => line.split(quote).filter((_, at) => at % 2 === 1)))
    .filter((text) => text.includes("<"));

const allVectors = () => classes.flatMap(({ vectors }) => vectors);

async function call(tool, args) {
  const answer = await tryCall(tool, args);
  assert.equal(answer.ok, true, `${tool} ${JSON.stringify(args)}: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** Whether it was done. What is refused is not on the page, and that is as good; any other answer is a failure. */
async function isAccepted(tool, args) {
  const answer = await tryCall(tool, args);
  // A page has one outlet at most, so the second of them is a conflict.
  if (!answer.ok) assert.match(answer.error.code, /^(invalid_input|conflict)$/, JSON.stringify(answer));
  return answer.ok;
}

const tryCall = (tool, args) => ask("POST", "/tools/call", { tool, scope: "site", arguments: args, confirmed: true });

async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${product.address}${path}`, { method, headers, body: JSON.stringify(body) });
  return response.json();
}

/** A visitor who notices whatever runs, is fetched as code or is stopped by a policy, and acts on all that could be acted on. */
async function openWatcher() {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const seen = [];
  await context.exposeFunction("reportToTest", (what) => seen.push(what));
  await context.addInitScript(() => {
    window.alert = (text) => window.reportToTest(`alert(${text})`);
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
      // Pictures and styles that a policy keeps out run nothing.
      if (/script|connect|worker/.test(violatedDirective))
        window.reportToTest(`a policy stopped ${violatedDirective} ${blockedURI} ${sample}`);
    });
  });
  const page = await context.newPage();
  page.on("dialog", (dialog) => {
    seen.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch((error) => seen.push(error.message));
  });
  page.on("pageerror", (error) => seen.push(`an error of a script: ${error.message}`));
  page.on("console", (message) => {
    if (/event handler|inline script|javascript: URL|Refused to (run|load|execute)/i.test(message.text()))
      seen.push(message.text());
  });
  page.on("request", (sent) => {
    if (["script", "fetch", "xhr"].includes(sent.resourceType())) seen.push(`${sent.resourceType()} ${sent.url()}`);
  });
  return {
    close: () => context.close(),
    /** All that was noticed on a page, with the sections that are where they were put and the number of pages in frames. */
    async visit(address) {
      const response = await page.goto(address, { waitUntil: "load" });
      assert.equal(response.status(), 200, address);
      const { found, ...rest } = await page.evaluate(actOnEverything);
      return { noticed: [...found, ...seen.splice(0)], ...rest };
    },
  };
}

/** Runs in the page: fires what handlers wait for, and lists what is left of code, with the section or page it is in. */
async function actOnEverything() {
  const found = [];
  let documents = 0;
  const runs = /^[\s\p{Cc}]*(javascript:|vbscript:|data:text\/html)/iu;
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      const within = element.closest("section")?.id ?? element.ownerDocument.location?.pathname;
      const tell = (what) => found.push(`${within} ${element.localName} ${what}`);
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (element.localName === "template" && element.content) roots.push(element.content);
      if (/\/title-\d+$/.test(element.contentDocument?.location.pathname)) {
        roots.push(element.contentDocument);
        documents += 1;
      }
      if (element.localName === "script" && element.type !== "application/ld+json") tell("");
      for (const { name, value } of element.attributes) {
        if (/^on./i.test(name) || name === "srcdoc") tell(name);
        // Browsers drop these wherever they are in an address.
        const address = value.replace(/[\t\n\r]/g, "");
        if (/(href|src|action|data|to|from|values)$/i.test(name) && runs.test(address)) tell(`${name}=${value}`);
      }
      for (const type of ["click", "mouseover", "focus", "error", "load", "toggle", "animationstart"]) {
        // Following a link would leave the page.
        element.addEventListener(type, (event) => event.preventDefault(), { once: true });
        element.dispatchEvent(new Event(type, { cancelable: true }));
      }
    }
  }
  // What was started by an event reports before this answers, because reports are delivered in order.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const ids = [...document.querySelectorAll("body > section[id]")].map((section) => section.id);
  return { found, sections: ids, documents };
}

/** Visits the page of every class, at addresses that `locate` makes of its own. */
async function assertSilent(locate, visited = classes) {
  const watcher = await openWatcher();
  const noticed = [];
  for (const { name, vectors } of visited) {
    const path = `/class-${name}`;
    const visit = await watcher.visit(await locate(path));
    noticed.push(...visit.noticed.map((what) => `${path}: ${what}`));
    // A vector that swallowed those behind it would keep them from running.
    const expected = vectors.map(({ number }) => `v${number}`);
    assert.deepEqual(visit.sections, expected, `${path}: every vector stays in its section`);
  }
  await watcher.close();
  assertNothingNoticed(noticed, visited);
}

function assertNothingNoticed(noticed, visited = classes) {
  const all = visited.flatMap(({ vectors }) => vectors);
  const vectorIn = (what) => all.find(({ number }) => what.includes(String(number)))?.html;
  const named = noticed.map((what) => ({ what, vector: vectorIn(what) }));
  assert.deepEqual(named, []);
}

/** Serves what `answer` makes of a path as HTML, without any header that protects. */
async function serveHtml(answer) {
  const server = createServer(async (asked, response) => {
    const html = await answer(new URL(asked.url, "http://here").pathname);
    response.statusCode = html === undefined ? 404 : 200;
    // Without an encoding, so that the page itself has to name it.
    response.setHeader("content-type", "text/html");
    response.end(html);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("the same vectors run on a page that no filter has seen, and that is noticed", async () => {
  const { vectors } = classes.find(({ name }) => name === "attributes");
  const control =
    "<!doctype html><body><p onclick=alert(1)>x</p><img src=x onerror=fetch(2)><a href=javascript:3>x</a>" +
    "<iframe src=/title-4></iframe>";
  const framed = "<!doctype html><body><p onclick=alert(4) title=x>x</p>";
  const raw = vectors.map((vector) => `<section id=v${vector.number}>${armed(vector, "alert")}</section>`).join("");
  const served = { "/control": control, "/title-4": framed, "/raw": `<!doctype html><body>${raw}` };
  const server = await serveHtml((path) => served[path]);
  const watcher = await openWatcher();
  try {
    const { noticed } = await watcher.visit(`${server.address}/control`);
    const wanted = [
      "alert(1)",
      `fetch ${server.address}/2`,
      "/control a href=javascript:3",
      "alert(4)",
      "/title-4 p onclick",
    ];
    for (const what of wanted) assert.ok(noticed.includes(what), `${what} is missed in ${noticed}`);
    const all = (await watcher.visit(`${server.address}/raw`)).noticed;
    assert.ok(all.some((what) => what === `alert(${vectors[0].number})`));
  } finally {
    await watcher.close();
    server.stop();
  }
});

test("nothing runs on a host that the administration shares", () =>
  assertSilent((path) => `${product.address}${path}`));

test("nothing runs of what the tests of other sanitisers hold", async (context) => {
  const others = await readPackages();
  if (others.length === 0) return context.skip("the packages of vector_packages.json are not in the cache");
  let refused = 0;
  for (const group of others) refused += (await addClass(group, group.name)).refused;
  assert.ok(refused < others.length * 10, `${refused} were refused, and the rest would prove little`);
  await publish();
  await assertSilent((path) => `${product.address}${path}`, others);
});

test("nothing runs for whoever has a link to the draft", () => assertSilent(previewOf));

async function previewOf(path) {
  const { url } = await ask("POST", "/admin/api/site/preview-link", { pageId: pages.get(path) });
  return `${product.address}${new URL(url).pathname}`;
}

test("nothing runs in an exported folder without any headers, nor what titles say wherever they are shown", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewright-export-"));
  const exported = (path) => readFile(join(folder, path, "index.html")).catch(() => undefined);
  const server = await serveHtml((path) => framesAt(path) ?? exported(path));
  try {
    await product.run("export", folder);
    assert.match(await readFile(join(folder, "_headers"), "utf8"), /Content-Security-Policy: script-src 'none'/);
    await assertSilent((path) => `${server.address}${path}`);
    await assertTitlesSilent(server.address);
  } finally {
    server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

/** The pages whose titles are the vectors of a class, in frames: one after another they would take a minute. */
function framesAt(path) {
  const { vectors } = classes.find(({ name }) => path === `/titles-${name}`) ?? {};
  const shown = vectors?.filter((vector) => titled.includes(vector));
  return (
    shown && `<!doctype html><body>${shown.map(({ number }) => `<iframe src=/title-${number}></iframe>`).join("")}`
  );
}

async function assertTitlesSilent(address) {
  const watcher = await openWatcher();
  const noticed = [];
  let documents = 0;
  for (const { name } of classes) {
    const visit = await watcher.visit(`${address}/titles-${name}`);
    noticed.push(...visit.noticed);
    documents += visit.documents;
  }
  await watcher.close();
  assertNothingNoticed(noticed);
  assert.equal(documents, titled.length, "every page has been looked at");
}

test("nothing runs on a host of its own", async () => {
  const previews = new Map();
  for (const path of pages.keys()) previews.set(path, new URL(await previewOf(path)).pathname);
  await product.restart(["admin_url=http://admin.example"]);
  assert.notEqual((await fetch(`${product.address}/admin/`)).status, 200, "the administration is elsewhere");
  const answer = await fetch(`${product.address}/class-css`);
  assert.match(answer.headers.get("content-security-policy"), /^script-src 'none'/);
  await assertSilent((path) => `${product.address}${path}`);
  await assertSilent((path) => `${product.address}${previews.get(path)}`);
});
