// What most stories begin with and are told in: the first account, steps that leave a picture when they fail, and questions to the
// server in the name of whoever is signed in.
import { test } from "node:test";

export const ANA = { name: "Ana Martins", email: "ana@example.com", password: "correct horse battery" };

/** Makes the first account, as Ana. */
export async function setUp(page, { setupLink }) {
  await page.goto(setupLink);
  await page.getByLabel("Site name").fill("Northwind");
  await page.getByLabel("Your name").fill(ANA.name);
  await page.getByLabel("Email").fill(ANA.email);
  await page.getByLabel("Password", { exact: true }).fill(ANA.password);
  await page.getByRole("button", { name: "Create the site" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/**
 * Tests of a file that build on what those before them did. After one that failed the others are skipped by its name: what they would
 * find is not what they are about.
 */
export function inOrder() {
  let failed;
  return (name, run) =>
    test(name, async (t) => {
      if (failed !== undefined) return t.skip(`because "${failed}" failed`);
      try {
        await run();
      } catch (error) {
        failed = name;
        throw error;
      }
    });
}

/** Steps of a story that one visitor tells; a failure leaves a picture of what the visitor saw. */
export function stepsOf(story, visitor) {
  const step = inOrder();
  return (name, run) => step(name, () => withPicture(visitor, `${story} ${name}`, run));
}

/** Runs something, and when it fails leaves a picture of what a visitor saw. */
export async function withPicture(visitor, name, run) {
  try {
    return await run();
  } catch (error) {
    const missing = await visitor()
      .saveScreenshot(name)
      .then(
        () => undefined,
        (missing) => missing,
      );
    // A visitor who is gone has nothing to show; what went wrong before that is what counts.
    if (missing === undefined) throw error;
    throw new AggregateError([error, missing], `${error.message}\n(and there is no picture of it)`, { cause: error });
  }
}

/** Asks the server for something in the name of whoever is signed in on a page. */
export function ask(page, method, path, body) {
  return page.evaluate(
    async ({ method, path, body }) => {
      const { csrfToken } = await fetch("/admin/api/session").then((session) => session.json());
      const headers = { "content-type": "application/json", "x-csrf-token": csrfToken };
      const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return isJson ? response.json() : response.text();
    },
    { method, path, body },
  );
}
