// One story through the product as people live it: an empty installation is set up, people come in, look around and leave.
// Each scenario uses what the ones before it made.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertAccessible, assertFits, assertNothingMoved, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { ANA, inOrder, withPicture } from "./steps.mjs";

const BRUNO = { name: "Bruno Costa", email: "bruno@example.com", password: "staple clip drawer" };

let product;
let browser;

before(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
});

after(async () => {
  await browser?.close();
  await product?.stop();
});

const step = inOrder();

/** A scenario with a visitor of its own; a failure leaves a picture of what the visitor saw. */
function scenario(name, run, options = {}) {
  step(name, async () => {
    const visitor = await openVisitor(browser, options);
    await withPicture(
      () => visitor,
      name,
      () => run(visitor),
    );
    await visitor.finish();
  });
}

const at = (path) => `${product.address}/admin${path}`;
const heading = (page, name) => page.getByRole("heading", { level: 1, name });
const password = (page, label = "Password") => page.getByLabel(label, { exact: true });

async function fillSetUp(page) {
  await page.getByLabel("Site name").fill("Northwind");
  await page.getByLabel("Your name").fill(ANA.name);
  await page.getByLabel("Email").fill(ANA.email);
  await password(page).fill(ANA.password);
  await page.getByRole("button", { name: "Create the site" }).click();
}

async function fillSignIn(page, person) {
  await page.getByLabel("Email").fill(person.email);
  await password(page).fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signIn(page, person, path = "") {
  await page.goto(at(`/sign-in${path && `?next=${encodeURIComponent(path)}`}`));
  await fillSignIn(page, person);
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

scenario("without the link, setup says where to find it", async ({ page }) => {
  await page.goto(at("/"));
  await heading(page, "Set up Sitewright").waitFor();
  await page.getByText("sitewright setup --link").waitFor();
  await assertNothingMoved(page, "setup without a link");
  await assertAccessible(page, "setup without a link");
});

scenario("a wrong link is refused with the way to a new one", async ({ page, expectRefusal }) => {
  expectRefusal(403);
  await page.goto(at("/setup#token=not-the-token"));
  await page.getByRole("button", { name: "Create the site" }).click();
  await page.getByText("This field is required.").first().waitFor();
  assert.equal(await page.getByLabel("Site name").evaluate((field) => field === document.activeElement), true);
  await assertAccessible(page, "setup with missing fields");
  await fillSetUp(page);
  await page.getByRole("alert").filter({ hasText: "sitewright setup --link" }).waitFor();
});

/** Pastes a link into a tab that is on the same page already: only the hash changes, and nothing is loaded. */
const paste = (page, link) => page.evaluate((hash) => window.location.assign(hash), new URL(link).hash);

const setUpByLink = async ({ page }) => {
  await page.goto(at("/"));
  await page.getByText("sitewright setup --link").waitFor();
  await paste(page, product.setupLink);
  await page.getByLabel("Site name").waitFor();
  await assertNothingMoved(page, "setup");
  await assertAccessible(page, "setup");
  await fillSetUp(page);
  await heading(page, `Welcome, ${ANA.name}`).waitFor();
  await page.getByText("Nothing is published yet").waitFor();
  assert.equal(page.url(), at("/"));
};

scenario("the link sets up the site and its owner", setUpByLink);

scenario("a used link says so", async ({ page }) => {
  await page.goto(product.setupLink);
  await heading(page, "Already set up").waitFor();
  await assertAccessible(page, "used setup link");
  await page.getByRole("link", { name: "Sign in" }).click();
  await heading(page, "Sign in").waitFor();
});

scenario(
  "a wrong password is refused, the right one leads back to where one was going, and out again",
  async ({ page, expectRefusal }) => {
    expectRefusal(401);
    await page.goto(at("/settings/system"));
    await heading(page, "Sign in").waitFor();
    await assertNothingMoved(page, "sign-in");
    await fillSignIn(page, { ...ANA, password: "not my password" });
    await page
      .getByRole("alert")
      .filter({ hasText: /password/i })
      .waitFor();
    await assertAccessible(page, "sign-in with a wrong password");
    await fillSignIn(page, ANA);
    await heading(page, "System").waitFor();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByText("You’ve signed out.").waitFor();
    await page.goto(at("/"));
    await heading(page, "Sign in").waitFor();
  },
);

scenario("the keyboard alone is enough", async ({ page }) => {
  const keys = page.keyboard;
  const focused = (name) =>
    page.waitForFunction((wanted) => document.activeElement?.textContent?.includes(wanted), name);
  await page.goto(at("/sign-in"));
  await page.getByLabel("Email").waitFor();
  await keys.press("Tab");
  await keys.type(ANA.email);
  await keys.press("Tab");
  await keys.type(ANA.password);
  await keys.press("Enter");
  await heading(page, `Welcome, ${ANA.name}`).waitFor();

  await keys.press("Tab");
  await focused("Skip to content");
  // The first is the site itself.
  await keys.press("Tab");
  for (const name of ["Home", "Site", "Content", "Activity"]) {
    await keys.press("Tab");
    await focused(name);
  }
  await keys.press("Enter");
  await heading(page, "Approvals").waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "content");

  await page.getByRole("button", { name: "Account menu" }).focus();
  await keys.press("Enter");
  await focused("Your account");
  await keys.press("ArrowDown");
  await focused("System");
  await keys.press("End");
  await focused("Sign out");
  await keys.press("ArrowDown");
  await focused("Your account");
  await keys.press("d");
  await focused("Dark");
  await keys.press("Escape");
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor({ state: "hidden" });
  await focused("Account menu");
  await keys.press("ArrowUp");
  await focused("Sign out");
  const [menu, trigger] = await Promise.all([
    page.getByRole("menu", { name: "Account menu" }).boundingBox(),
    page.getByRole("button", { name: "Account menu" }).boundingBox(),
  ]);
  assert.ok(menu.y + menu.height <= trigger.y && menu.y > trigger.y - 400, JSON.stringify([menu, trigger]));
  await keys.press("Tab");
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor({ state: "hidden" });

  await page.goto(at("/settings/tokens"));
  await page.getByRole("button", { name: "New token" }).focus();
  await keys.press("Enter");
  await page.getByRole("dialog").waitFor();
  await keys.type("by hand");
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "by hand");
  await keys.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focused("New token");
});

scenario("an invited editor chooses a password and sees only what the role allows", async ({ page }) => {
  await signIn(page, ANA, "/settings/people");
  await page.getByRole("button", { name: "Invite someone" }).click();
  await assertAccessible(page, "invitation");
  await page.getByLabel("Name", { exact: true }).fill(BRUNO.name);
  await page.getByLabel("Email").fill(BRUNO.email);
  await page.getByLabel("Role", { exact: true }).selectOption({ label: "Editor" });
  await page.getByRole("button", { name: "Create invitation" }).click();
  const link = await page.getByLabel("Password link").inputValue();
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/admin\/join#token=/);
  await assertAccessible(page, "made invitation");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("listitem").filter({ hasText: BRUNO.email }).getByText("Invited").waitFor();

  const bruno = await openVisitor(browser);
  await bruno.page.goto(at("/join"));
  await bruno.page.getByText("This page needs the link you were given.", { exact: false }).waitFor();
  await paste(bruno.page, link);
  await password(bruno.page).waitFor();
  await heading(bruno.page, "Choose a password").waitFor();
  await assertAccessible(bruno.page, "join");
  await password(bruno.page).fill("too short");
  await bruno.page.getByRole("button", { name: "Save and sign in" }).click();
  await bruno.page.getByText("Add 3 more characters.").waitFor();
  await password(bruno.page).fill(BRUNO.password);
  await bruno.page.getByRole("button", { name: "Save and sign in" }).click();
  await heading(bruno.page, `Welcome, ${BRUNO.name}`).waitFor();
  // What is still on its way when the cookie goes is refused.
  bruno.expectRefusal(401);
  await bruno.context.clearCookies();
  await signIn(bruno.page, BRUNO, "/settings");
  await heading(bruno.page, "Site").waitFor();
  assert.equal(await bruno.page.getByRole("link", { name: "People" }).count(), 0);
  await bruno.page.goto(at("/activity/log"));
  await bruno.page.getByText("There is nothing at this address").waitFor();
  assert.equal(await bruno.page.getByRole("link", { name: "Log" }).count(), 0);
  await bruno.page.goto(at("/settings/people"));
  await bruno.page.getByText("There is nothing at this address").waitFor();
  await bruno.finish();
});

scenario("a person's role, signing in and place on the site can be changed", async ({ page }) => {
  await signIn(page, ANA, "/settings/people");
  const row = page.getByRole("listitem").filter({ hasText: BRUNO.email });
  await page.getByLabel(`Role of ${BRUNO.name}`).selectOption({ label: "Viewer" });
  await page.getByText(`${BRUNO.name} is now Viewer.`).waitFor();
  await row.getByRole("button", { name: "Actions for" }).click();
  await row.getByRole("menuitem", { name: "Disable sign-in" }).click();
  await row.getByText("Disabled", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Actions for" }).click();
  await row.getByRole("menuitem", { name: "New password link" }).click();
  await page.getByLabel("Password link").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await row.getByRole("button", { name: "Actions for" }).click();
  await assertAccessible(page, "people with a menu");
  await row.getByRole("menuitem", { name: "Remove from this site" }).click();
  await page.keyboard.press("Escape");
  await page.waitForFunction((name) => document.activeElement?.textContent === name, `Actions for ${BRUNO.name}`);
  await row.getByRole("button", { name: "Actions for" }).click();
  await row.getByRole("menuitem", { name: "Remove from this site" }).click();
  await assertAccessible(page, "removing a person");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await row.waitFor({ state: "detached" });
});

scenario("roles of one's own can be made, changed and deleted", async ({ page }) => {
  await signIn(page, ANA, "/settings/roles");
  await page.getByRole("button", { name: "New role" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Shop helper");
  await page.getByLabel("Change entries, media and navigation").check();
  await assertAccessible(page, "new role");
  await page.getByRole("button", { name: "Save" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "Shop helper" });
  await row.getByText("1 permission").click();
  await assertAccessible(page, "opened permissions");
  await row.getByRole("button", { name: "Actions for" }).click();
  await row.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByLabel("See entries, media and navigation").check();
  await page.getByRole("button", { name: "Save" }).click();
  // Seeing all entries includes reading the published ones over the API.
  await row.getByText("3 permissions").waitFor();
  await row.getByRole("button", { name: "Actions for" }).click();
  await row.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
});

scenario("a token is shown once and can be revoked", async ({ page }) => {
  await signIn(page, ANA, "/settings/tokens");
  await page.getByText("No tokens yet").waitFor();
  await assertAccessible(page, "no tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Nightly export");
  await page.getByLabel("Only some permissions").check();
  await page.getByLabel("See pages, styles and drafts").check();
  await assertAccessible(page, "new token");
  const managing = page.getByLabel("Invite people and choose their roles");
  await managing.waitFor();
  await page.getByRole("radio", { name: /^AI agent/ }).check();
  await managing.waitFor({ state: "detached" });
  await assertAccessible(page, "new token of an agent");
  await page.getByRole("radio", { name: /^Script/ }).check();
  await page.getByRole("button", { name: "Create token" }).click();
  assert.match(await page.getByLabel("Token", { exact: true }).inputValue(), /^swt_/);
  await assertAccessible(page, "made token");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("1 permission").waitFor();
  await page.getByRole("button", { name: "Revoke Nightly export" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No tokens yet").waitFor();
});

scenario("the theme follows the system until one is chosen, and the choice stays", async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await signIn(page, ANA);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await background();
  assert.notEqual(light, dark);
  await page.getByRole("button", { name: "Account menu" }).click();
  await assertAccessible(page, "account menu");
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  assert.equal(await background(), dark);
  await page.reload();
  await heading(page, `Welcome, ${ANA.name}`).waitFor();
  assert.equal(await background(), dark);
});

scenario("the editor core loads and tells its version", async ({ page }) => {
  await signIn(page, ANA, "/settings/system");
  await page.getByText(/^Editor core \d+\.\d+\.\d+/).waitFor();
});

scenario("an ended session leads to sign-in and back", async ({ page, context, expectRefusal }) => {
  expectRefusal(401);
  await signIn(page, ANA, "/settings/tokens");
  await page.getByText("No tokens yet").waitFor();
  await context.clearCookies();
  await page.getByRole("link", { name: "Activity" }).click();
  await page.getByText("Your session has expired.").waitFor();
  await fillSignIn(page, ANA);
  await heading(page, "Approvals").waitFor();
});

scenario("the name, the password and the other sessions are one's own to change", async ({ page }) => {
  await signIn(page, ANA, "/account");
  await page.getByLabel("Name").fill("Ana M.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Ana M." }).waitFor();
  await page.getByLabel("Name").fill(ANA.name);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: ANA.name }).waitFor();
  await page.getByText("This device").waitFor();
  await password(page, "Current password").fill(ANA.password);
  await password(page, "New password").fill("another long password");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Password changed.").waitFor();
  ANA.password = "another long password";
  // The list is asked for again once the password is changed.
  await page
    .getByRole("button", { name: /^Sign out on/ })
    .first()
    .waitFor({ state: "detached" });
});

const SCREENS = [
  { path: "/", ready: "Getting started" },
  { path: "/approvals", ready: "Nothing needs your attention" },
  { path: "/approvals/unknown", ready: "Every outcome is known" },
  { path: "/activity/changes", ready: "Today" },
  { path: "/activity/releases", ready: "Nothing is published yet" },
  { path: "/activity/runs", ready: "No runs yet" },
  { path: "/activity/log", ready: ANA.name },
  { path: "/ai/providers", ready: "Built-in commands (no AI)" },
  { path: "/ai/defaults", ready: "For each request" },
  { path: "/ai/audit", ready: "No usage in the last 30 days" },
  { path: "/tools", ready: /^\d+ tools$/ },
  { path: "/tools/tool/addPage", ready: "Input" },
  { path: "/tools/connected", ready: "No connected tools" },
  { path: "/settings/site", ready: "Page title format" },
  { path: "/settings/people", ready: ANA.email },
  { path: "/settings/roles", ready: "Every permission" },
  { path: "/settings/tokens", ready: "No tokens yet" },
  { path: "/settings/system", ready: /^Editor core \d/ },
  { path: "/account", ready: "This device" },
  { path: "/nowhere", ready: "There is nothing at this address" },
];

for (const width of [1280, 360]) {
  scenario(
    `every screen is accessible, still and fits ${width} pixels`,
    async ({ page }) => {
      await page.goto(at("/sign-in"));
      await fillSignIn(page, ANA);
      await heading(page, `Welcome, ${ANA.name}`).waitFor();
      for (const { path, ready } of SCREENS) {
        await page.goto(at(path));
        await page.getByRole("main").getByText(ready).first().waitFor();
        await assertNothingMoved(page, path);
        await assertAccessible(page, path);
        await assertFits(page, path);
      }
    },
    { width, height: 800 },
  );
}

scenario(
  "on a narrow screen the menu opens on demand and dialogs fit",
  async ({ page }) => {
    await page.goto(at("/sign-in"));
    await fillSignIn(page, ANA);
    await page.getByRole("button", { name: "Open menu" }).click();
    await assertAccessible(page, "open menu");
    await page.getByRole("link", { name: "Settings" }).click();
    await heading(page, "Site").waitFor();
    await page.getByRole("link", { name: "Home" }).waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "Connections" }).click();
    await page.getByRole("link", { name: "API tokens" }).click();
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Only some permissions").check();
    await page.getByLabel("Run tools").check();
    await page.getByLabel("Name", { exact: true }).fill("For a phone");
    await assertFits(page, "new token");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByLabel("Token", { exact: true }).waitFor();
    await assertFits(page, "made token");
  },
  { width: 360, height: 740 },
);

scenario("a screen that cannot be fetched says so, and trying again brings it", async (visitor) => {
  const { page } = visitor;
  visitor.expectRefusal("net::ERR_FAILED");
  visitor.expectError("This page could not be loaded.");
  await signIn(page, ANA);
  await page.route("**/assets/Settings-*.js", (route) => route.abort());
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("alert").filter({ hasText: "This page could not be loaded." }).waitFor();
  await assertAccessible(page, "a screen that cannot be fetched");
  await page.unroute("**/assets/Settings-*.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await page.getByText("Page title format").waitFor();
});

scenario("guessing passwords is slowed down with a reason", async ({ page, expectRefusal }) => {
  expectRefusal(401);
  expectRefusal(429);
  await page.goto(at("/sign-in"));
  const answers = [];
  while (!answers.includes(429)) {
    assert.ok(answers.length < 50, "guessing was never slowed down");
    const answer = page.waitForResponse((response) => response.request().method() === "POST");
    await fillSignIn(page, { email: "nobody@example.com", password: "a guess like any other" });
    answers.push((await answer).status());
  }
  await page
    .getByRole("alert")
    .filter({ hasText: /wait|again in|too many/i })
    .waitFor();
});

scenario("a server that went away is said, and trying again is offered", async ({ page, expectRefusal }) => {
  expectRefusal("net::ERR_CONNECTION_REFUSED");
  await page.goto(at("/sign-in"));
  await page.getByLabel("Email").waitFor();
  await product.stop();
  await fillSignIn(page, ANA);
  await page.getByRole("alert").filter({ hasText: "Can’t reach Sitewright." }).waitFor();
});
