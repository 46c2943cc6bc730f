// A real Chromium, and pages that fail a test for what a person would not see: console errors, refused resources, moving layout.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const ARTIFACTS = new URL("artifacts/", import.meta.url);
/**
 * How long anything may take before it counts as hanging. One limit for all, far above what a busy machine needs: it ends tests that
 * would wait for ever, and no test relies on it.
 */
export const PATIENCE_MS = 180_000;

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Scrollbars take no room, as on a phone, unless they are wanted as a desktop has them. */
export function launchBrowser({ withScrollbars = false } = {}) {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const ignoreDefaultArgs = withScrollbars ? ["--hide-scrollbars"] : [];
  return chromium.launch({ executablePath, args: FLAGS, ignoreDefaultArgs, timeout: PATIENCE_MS });
}

/** A visitor with cookies of their own, who has seen the tour of the editor unless they are new. */
export async function openVisitor(browser, { width = 1280, height = 840, colorScheme = "light", isNew = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(watchPage);
  if (!isNew) await context.route("**/admin/api/account", knowTheTour);
  const page = await context.newPage();
  const problems = [];
  const expected = new Set();
  const mistakes = [];
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // The script that watches the page is refused by frames that run none.
    if (/^Blocked script execution in .* sandboxed/.test(message.text())) return;
    if (mistakes.some((text) => message.text().includes(text))) return;
    const refused = /the server responded with a status of (\d+)|(net::ERR_\w+)/.exec(message.text());
    if (refused && expected.has(refused[1] ?? refused[2])) return;
    problems.push(`console: ${message.text()} ${message.location().url}`.trim());
  });
  return {
    context,
    page,
    /** A refusal that the test provokes: the browser reports it on the console by itself. */
    expectRefusal: (status) => expected.add(String(status)),
    /** An error of the page that the test provokes, by a part of its text: React reports it on the console. */
    expectError: (text) => mistakes.push(text),
    async finish() {
      const violations = await page.evaluate(() => window.watched?.violations ?? []);
      // A request that is still answered by a route would fail when the context goes.
      await context.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
      assert.deepEqual([...problems, ...violations], []);
    },
    async saveScreenshot(name) {
      await mkdir(ARTIFACTS, { recursive: true });
      const path = fileURLToPath(new URL(`${name.replace(/\W+/g, "-")}.png`, ARTIFACTS));
      await page.screenshot({ path, fullPage: true });
    },
  };
}

/** The account of somebody who has put the tour away. */
async function knowTheTour(route) {
  if (route.request().method() !== "GET") return route.fallback();
  const response = await route.fetch();
  if (!response.ok()) return route.fulfill({ response });
  const account = await response.json();
  await route.fulfill({ response, json: { ...account, preferences: { tour: "away", ...account.preferences } } });
}

/** Runs in the page, before anything of ours. */
function watchPage() {
  window.watched = { violations: [], shifts: [] };
  document.addEventListener("securitypolicyviolation", (event) => {
    window.watched.violations.push(`policy: ${event.violatedDirective} refused ${event.blockedURI}`);
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      const moved = entry.sources.map((source) => source.node?.outerHTML?.slice(0, 120) ?? "removed");
      window.watched.shifts.push({ value: entry.value, moved });
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** Everything axe knows about accessibility, or only the rules that are named, in both themes. */
export async function assertAccessible(page, name, rules) {
  await page.evaluate(axeSource);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate(judge, rules);
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
    assert.deepEqual(found, [], `${name}, ${colorScheme}`);
  }
}

/** Runs in the page. What fades in or out is judged as it stands in between. */
async function judge(rules) {
  const end = ({ effect }) => effect?.getComputedTiming().endTime;
  const fading = document.getAnimations().filter((one) => one.playState === "running" && Number.isFinite(end(one)));
  for (const animation of fading) {
    animation.pause();
    animation.currentTime = end(animation) / 2;
  }
  const report = await window.axe.run(rules ? { runOnly: rules } : {});
  for (const animation of fading) animation.play();
  return { violations: report.violations };
}

export async function assertNothingMoved(page, name) {
  assert.deepEqual(await page.evaluate(() => window.watched.shifts), [], `${name} moved while it was loading`);
}

/** Neither the page nor an open dialog is wider than its room. */
export async function assertFits(page, name) {
  const wide = await page.evaluate(() => {
    const rooms = [document.documentElement, ...document.querySelectorAll("dialog")];
    return rooms.filter((room) => room.scrollWidth > room.clientWidth).map((room) => room.tagName);
  });
  assert.deepEqual(wide, [], `${name} is wider than its room`);
}

/** Waits until what `look` finds in the page is as wanted, looking again at every frame that is drawn. */
export async function assertBecomes(page, look, given, wanted) {
  const end = performance.now() + PATIENCE_MS;
  let found = await page.evaluate(look, given);
  while (!isDeepStrictEqual(found, wanted) && performance.now() < end) {
    await page.evaluate(() => new Promise(requestAnimationFrame));
    found = await page.evaluate(look, given);
  }
  assert.deepEqual(found, wanted, JSON.stringify(given));
}
