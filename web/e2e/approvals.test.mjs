// An agent asks, a person answers: over HTTP as an agent does, and in the browser as a person does.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { assertAccessible, assertFits, assertNothingMoved, launchBrowser, openVisitor } from "./browser.mjs";
import { startProduct } from "./product.mjs";
import { ANA, ask, setUp, stepsOf } from "./steps.mjs";

let product;
let browser;
let visitor;
let page;
let token;
let vendor;

before(async () => {
  [product, browser] = await Promise.all([startProduct(["egress_allow=127.0.0.1/32"]), launchBrowser()]);
  visitor = await openVisitor(browser);
  page = visitor.page;
  await setUp(page, product);
  token = await agentToken();
});

after(async () => {
  try {
    await visitor?.finish();
  } finally {
    vendor?.close();
    await browser?.close();
    await product?.stop();
  }
});

async function agentToken() {
  await page.goto(at("/settings/tokens"));
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Claude");
  await page.getByLabel("AI agent").check();
  await page.getByRole("button", { name: "Create token" }).click();
  const made = await page.getByLabel("Token", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Done" }).click();
  return made;
}

const at = (path) => `${product.address}/admin${path}`;
const card = (title) => page.getByRole("article", { name: title });
const navigation = () => page.getByRole("navigation", { name: "Main" });
const focused = (text) => page.waitForFunction((wanted) => document.activeElement?.textContent?.includes(wanted), text);

/** A call of a tool with the agent's token. */
async function call(tool, args, idempotencyKey) {
  const answer = await fetch(`${product.address}/tools/call`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ tool, arguments: args, idempotencyKey }),
  });
  return answer.json();
}

/** The agent makes a page and asks to remove it. */
async function askToRemove(title, key) {
  const { data } = await call("addPage", { title });
  const again = () => call("deletePage", { pageId: data.pageId }, key);
  const asked = await again();
  assert.equal(asked.error?.code, "approval_required", JSON.stringify(asked));
  return { again, link: asked.error.details.approval.link };
}

const pages = async () => {
  const { documents } = await product.callTool("list_documents", {});
  return JSON.stringify(documents);
};

/** A shop that takes orders and breaks off before it answers. */
async function openShop() {
  const orders = [];
  vendor = createServer((request) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      orders.push(JSON.parse(text));
      request.socket.destroy();
    });
  });
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  await ask(page, "POST", "/tools/register", {
    manifest: {
      name: "shop.placeOrder",
      title: "Place an order",
      description: "Orders flour from the mill",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      capability: "write",
      timeoutMs: 3000,
      retryPolicy: { maxAttempts: 1 },
      idempotent: false,
    },
    endpoint: `http://127.0.0.1:${vendor.address().port}/orders`,
  });
  return orders;
}

const step = stepsOf("approvals", () => visitor);

step("an agent asks to remove a page, a person approves, and the agent has its answer", async () => {
  await page.goto(at("/approvals"));
  await page.getByText("Nothing needs your attention").waitFor();
  const { again } = await askToRemove("News", "remove-news");
  // Coming back to the page is what looks again, without waiting for the clock.
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  const shown = card("Delete a page");
  await shown.getByText("Removes 1 page: “News”").waitFor();
  await shown.getByText("Claude", { exact: true }).waitFor();
  await shown.getByText("AI agent").waitFor();
  await shown.getByText("Why approval is needed Removing a page needs approval.").waitFor();
  await shown.getByText("Denied automatically tomorrow").waitFor();
  await navigation().getByRole("link", { name: "Activity 1 waiting" }).waitFor();
  assert.equal(await page.getByLabel("Also approve similar calls").count(), 0);
  await assertFits(page, "approvals");
  await assertAccessible(page, "approvals");

  await page.getByRole("button", { name: "Approve Delete a page" }).focus();
  await page.keyboard.press("Enter");
  await shown.getByText(`Approved by ${ANA.name}. Done.`).waitFor();
  await page.getByRole("status").filter({ hasText: "Delete a page: Approved by" }).waitFor({ state: "attached" });
  await focused("Delete a page");
  await navigation().getByRole("link", { name: "Activity", exact: true }).waitFor();
  assert.doesNotMatch(await pages(), /News/);
  const answer = await again();
  assert.equal(answer.ok, true, JSON.stringify(answer));
});

step("the link that the agent got shows the card alone, a denial keeps the page, and the agent is told", async () => {
  const { again, link } = await askToRemove("Team", "remove-team");
  await page.goto(link);
  const shown = card("Delete a page");
  await shown.getByText("Removes 1 page: “Team”").waitFor();
  await assertNothingMoved(page, "approval");
  await page.getByRole("button", { name: "Deny Delete a page" }).click();
  await shown.getByText("Denied. Nothing was done.").waitFor();
  await focused("Delete a page");
  assert.match(await pages(), /Team/);
  const answer = await again();
  assert.equal(answer.error?.code, "approval_denied", JSON.stringify(answer));
  await page.reload();
  await shown.getByText("Denied. Nothing was done.").waitFor();
  assert.equal(await page.getByRole("button", { name: /^(Approve|Deny)/ }).count(), 0);
  await assertAccessible(page, "decided approval");
});

step("when somebody else was faster, the card says what they decided", async () => {
  visitor.expectRefusal(409);
  const { link } = await askToRemove("Jobs", "remove-jobs");
  await page.goto(link);
  await page.getByRole("button", { name: "Deny Delete a page" }).waitFor();
  // The page must not learn of the other decision before the person makes theirs.
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route("**/admin/api/approvals", async (route) => {
    await held;
    await route.continue();
  });
  const other = await visitor.context.newPage();
  await other.goto(at("/approvals"));
  await other.getByRole("button", { name: "Approve Delete a page" }).click();
  await other.getByText(`Approved by ${ANA.name}. Done.`, { exact: true }).waitFor();
  await other.close();
  await page.getByRole("button", { name: "Deny Delete a page" }).click();
  await card("Delete a page").getByText("This call does not wait for a decision: it is done.").waitFor();
  await card("Delete a page").getByText(`Approved by ${ANA.name}. Done.`).waitFor();
  release();
  await page.unrouteAll({ behavior: "wait" });
});

step("deciding one card leads to the next, and what the agent wrote is shown as text", async () => {
  await call("write_code_asset", { path: "menu.js", type: "script", content: "<img src=x onerror=alert(1)>" }, "code");
  await askToRemove("Prices", "remove-prices");
  await page.goto(at("/approvals"));
  const code = card("Write code");
  await code.getByText("Changes scripts that run in visitors’ browsers").waitFor();
  await code.getByText("Details").click();
  await code.getByText("<img src=x onerror=alert(1)>").waitFor();
  await page.getByRole("button", { name: "Deny Write code" }).click();
  await code.getByText("Denied. Nothing was done.").waitFor();
  await focused("Delete a page");
  await card("Delete a page").getByText("Removes 1 page: “Prices”").waitFor();
});

step("recent calls are listed with their outcome, and nothing has an unknown one", async () => {
  await page.getByRole("link", { name: "Runs" }).click();
  const denied = page.getByRole("article").filter({ hasText: "Write code" });
  await denied.getByText("Denied", { exact: true }).waitFor();
  await page.getByRole("article").filter({ hasText: "Removed 1 page: “News”" }).getByText("Deleted a page").waitFor();
  await denied.getByText("Details").click();
  await denied.getByText("(policy `code-asks`)").waitFor();
  await assertFits(page, "recent calls");
  await assertAccessible(page, "recent calls");
  await page.goto(at("/approvals/unknown"));
  await page.getByText("Every outcome is known").waitFor();
});

step("an order whose answer got lost is not sent twice; a person says what came of it", async () => {
  const orders = await openShop();
  const again = () => call("shop.placeOrder", { item: "Flour, type 550", kilograms: 25 }, "order-1");
  const asked = await again();
  assert.equal(asked.error?.code, "approval_required", JSON.stringify(asked));
  await page.goto(asked.error.details.approval.link);
  const shown = card("Place an order");
  await shown.getByText("Runs outside this site with exactly these values:").waitFor();
  await shown.getByText("Flour, type 550").waitFor();
  await page.getByRole("button", { name: "Approve Place an order" }).click();
  await shown.getByText("It was sent, but the outcome is unknown.").waitFor();
  await shown.getByRole("link", { name: "Record the outcome" }).click();
  await page.getByRole("heading", { name: "Unknown outcomes" }).waitFor();
  await page.getByRole("link", { name: "All approvals" }).click();
  await page.getByText("1 run was sent, but no response came back.").waitFor();
  await page.getByRole("link", { name: "Record the outcome" }).click();
  await shown.getByText("Flour, type 550").waitFor();
  assert.equal(await page.getByRole("button", { name: "Send again" }).count(), 0);
  await assertAccessible(page, "unknown outcomes");
  await page.getByRole("button", { name: "It was done (Place an order)" }).click();
  await shown.getByText("Done.").waitFor();
  await focused("Place an order");
  const answer = await again();
  assert.equal(answer.ok, true, JSON.stringify(answer));
  assert.equal(orders.length, 1);
});

step("who may look and not approve sees the card without buttons, and who may do neither sees no inbox", async () => {
  await page.goto(at("/approvals"));
  await ask(page, "PUT", "/admin/api/roles/gardener", { name: "Gardener", capabilities: ["site.read"] });
  await ask(page, "PUT", "/admin/api/roles/auditor", {
    name: "Auditor",
    capabilities: ["site.read", "tools.read", "ai.audit.read"],
  });
  for (const role of ["auditor", "gardener"]) {
    const { link } = await ask(page, "POST", "/admin/api/users", {
      name: "Vera Lund",
      email: `${role}@example.com`,
      role,
    });
    const vera = await openVisitor(browser);
    await vera.page.goto(link.url);
    await vera.page.getByLabel("Password", { exact: true }).fill("staple clip drawer");
    await vera.page.getByRole("button", { name: "Save and sign in" }).click();
    await vera.page.getByRole("navigation", { name: "Main" }).waitFor();
    await vera.page.goto(at("/approvals"));
    if (role === "auditor") {
      await vera.page.getByText("Removes 1 page: “Prices”").waitFor();
      await vera.page.getByText("Someone with permission to approve runs has to answer this.").waitFor();
      assert.equal(await vera.page.getByRole("button", { name: /^(Approve|Deny)/ }).count(), 0);
    } else {
      await vera.page.getByText("There is nothing at this address").waitFor();
      assert.equal(await vera.page.getByRole("link", { name: "Approvals" }).count(), 0);
    }
    await vera.finish();
  }
});
