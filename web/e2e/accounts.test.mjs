// Accounts as people protect them: a second step, passkeys (with Chromium's virtual authenticator), and being asked once more.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before } from "node:test";
import { assertAccessible, assertFits, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { ANA, setUp, stepsOf } from "./steps.mjs";

let product;
let browser;
let visitor;
/** A passkey is bound to a name, and 127.0.0.1 is none. */
let address;
let secret;
let recoveryCodes;

before(async () => {
  [product, browser] = await Promise.all([startProduct(), launchBrowser()]);
  visitor = await openVisitor(browser, { height: 1100 });
  address = product.address.replace("127.0.0.1", "localhost");
  // The shell may be asking something at the moment of signing out.
  visitor.expectRefusal(401);
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    await browser?.close();
    await product?.stop();
  }
});

const step = stepsOf("accounts", () => visitor);
const at = (path) => `${address}/admin${path}`;
const dialog = (page, name) => page.getByRole("dialog", { name });
const main = (page) => page.getByRole("navigation", { name: "Main" });

/** The code of an authenticator app (RFC 6238), some steps of 30 seconds from now. */
function codeOf(base32, steps) {
  const bits = [...base32.replaceAll(" ", "")]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const hash = createHmac("sha1", key).update(counter).digest();
  const offset = hash[19] & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

async function signOut(page) {
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
}

async function givePassword(page) {
  await page.getByLabel("Email").fill(ANA.email);
  await page.getByLabel("Password", { exact: true }).fill(ANA.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function giveCode(page, code) {
  await page.getByLabel("Code", { exact: true }).fill(code);
  await page.getByRole("button", { name: "Continue" }).click();
}

step("a second step is set up with an authenticator app", async () => {
  const { page } = visitor;
  await setUp(page, { setupLink: product.setupLink.replace("127.0.0.1", "localhost") });
  await page.goto(at("/account"));
  await page.getByRole("button", { name: "Set up Two-step sign-in" }).click();
  const setup = dialog(page, "Set up two-step sign-in");
  await setup.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  await assertAccessible(page, "setting up a second step");
  secret = await setup.locator("code").textContent();
  visitor.expectRefusal(400);
  await setup.getByLabel("Code from the app").fill("000000");
  await setup.getByRole("button", { name: "Turn on" }).click();
  await setup.getByText("That code is wrong").waitFor();
  await setup.getByLabel("Code from the app").fill(codeOf(secret, 0));
  await setup.getByRole("button", { name: "Turn on" }).click();
  const codes = dialog(page, "Save your recovery codes");
  await codes.getByRole("listitem").first().waitFor();
  recoveryCodes = await codes.getByRole("listitem").allInnerTexts();
  assert.equal(recoveryCodes.length, 10);
  await assertAccessible(page, "recovery codes");
  await codes.getByRole("button", { name: "Done" }).click();
  await page.getByText("10 recovery codes left.").waitFor();
  await page.getByRole("paragraph").filter({ hasText: "Two-step sign-in was turned on." }).waitFor();
  await assertAccessible(page, "an account with a second step");
  await assertFits(page, "an account with a second step");
});

step("signing in asks for the code, and takes a recovery code as well", async () => {
  const { page } = visitor;
  await signOut(page);
  await givePassword(page);
  await page.getByRole("heading", { level: 1, name: "Enter your code" }).waitFor();
  assert.equal(
    await page.getByLabel("Code", { exact: true }).evaluate((field) => field === document.activeElement),
    true,
  );
  await assertAccessible(page, "the second step of signing in");
  await giveCode(page, "000000");
  await page.getByText("That code is wrong").waitFor();
  await giveCode(page, codeOf(secret, 1));
  await main(page).waitFor();
  await signOut(page);
  await givePassword(page);
  await giveCode(page, recoveryCodes[0].toUpperCase());
  await main(page).waitFor();
});

step("a passkey is added, renamed and used to sign in", async () => {
  const { page, context } = visitor;
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(at("/account"));
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const adding = dialog(page, "Add a passkey");
  await adding.getByLabel("Name").fill("Desk");
  await adding.getByRole("button", { name: "Add a passkey" }).click();
  await adding.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Rename Desk" }).click();
  await dialog(page, "Rename Desk").getByLabel("Name").fill("Laptop");
  await dialog(page, "Rename Desk").getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove Laptop" }).waitFor();
  await assertAccessible(page, "an account with a passkey");
  await signOut(page);
  await assertAccessible(page, "signing in where passkeys work");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await main(page).waitFor();
});

step("a sensitive change asks who is there and is then made", async () => {
  const { page } = visitor;
  visitor.expectRefusal(403);
  await page.goto(at("/settings/tokens"));
  for (const way of ["password", "code", "passkey"]) {
    await refuseOnce(page);
    await page.getByRole("button", { name: "New token" }).click();
    await dialog(page, "New token").getByLabel("Name").fill(way);
    await dialog(page, "New token").getByRole("button", { name: "Create token" }).click();
    const asking = dialog(page, "Confirm it’s you");
    await asking.waitFor();
    if (way === "password") await assertAccessible(page, "being asked to confirm");
    await confirmBy(asking, way);
    await dialog(page, `Token “${way}” created`).getByRole("button", { name: "Done" }).click();
  }
});

/** The session is young; the server's refusal of an old one is given in its place, once. */
async function refuseOnce(page) {
  let refused = false;
  await page.route("**/admin/api/tokens", (route) => {
    if (refused || route.request().method() !== "POST") return route.fallback();
    refused = true;
    return route.fulfill({
      status: 403,
      contentType: "application/problem+json",
      json: { code: "step_up_required", detail: "Confirm that it is you, then try again." },
    });
  });
}

async function confirmBy(asking, way) {
  if (way === "passkey") return asking.getByRole("button", { name: "Use a passkey" }).click();
  if (way === "password") await asking.getByLabel("Password", { exact: true }).fill(ANA.password);
  else {
    await asking.getByRole("button", { name: "Use a code instead" }).click();
    await asking.getByLabel("Code", { exact: true }).fill(recoveryCodes[1]);
  }
  return asking.getByRole("button", { name: "Confirm" }).click();
}

step("notices are dismissed, and everything is ended with the password", async () => {
  const { page } = visitor;
  await page.goto(at("/account"));
  await page.getByRole("paragraph").filter({ hasText: "The API token “password” was created." }).waitFor();
  await page.getByRole("button", { name: "Dismiss Two-step sign-in was turned on." }).click();
  await page
    .getByRole("paragraph")
    .filter({ hasText: "Two-step sign-in was turned on." })
    .waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  const ending = dialog(page, "Sign out everywhere?");
  await ending.getByLabel("Password", { exact: true }).fill(ANA.password);
  await ending.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
});
