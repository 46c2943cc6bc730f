import { expect, test, vi } from "vitest";
import { words } from "../glossary";
import { createClient } from "./client";
import { ApiError, NO_ANSWER } from "./problem";

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

function setUp(answer: () => Response | Promise<Response>, csrfToken?: string) {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => answer());
  const onUnauthenticated = vi.fn<(path: string) => void>();
  const client = createClient({ fetch, csrfToken: () => csrfToken, onUnauthenticated });
  const sent = () => {
    const [url, init] = fetch.mock.calls[0] ?? [];
    return { url, method: init?.method, headers: init?.headers, body: init?.body };
  };
  return { client, sent, onUnauthenticated };
}

async function failure(request: Promise<unknown>): Promise<ApiError> {
  const thrown: unknown = await request.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ApiError)) throw new Error("the request should have failed with an ApiError");
  return thrown;
}

test("a change carries the CSRF token and its body as JSON", async () => {
  const { client, sent } = setUp(() => json(200, { ok: true }), "secret");
  expect(await client.patch("/admin/api/account", { body: { name: "Ana" } })).toEqual({ ok: true });
  expect(sent()).toEqual({
    url: "/admin/api/account",
    method: "PATCH",
    headers: { accept: "application/json", "x-csrf-token": "secret", "content-type": "application/json" },
    body: '{"name":"Ana"}',
  });
});

test("a change that needs a fresh proof is sent again once it was given", async () => {
  const asked = json(403, { code: "step_up_required", detail: "Confirm that it is you, then try again." });
  const answers = [asked, json(200, { ok: true })];
  const fetch = vi.fn<typeof globalThis.fetch>(async () => answers.shift() ?? asked.clone());
  const onStepUp = vi.fn(async () => true);
  const client = createClient({ fetch, csrfToken: () => "t", onUnauthenticated: () => undefined, onStepUp });
  expect(await client.patch("/admin/api/account", { body: { name: "Ana" } })).toEqual({ ok: true });
  expect([fetch.mock.calls.length, onStepUp.mock.calls.length]).toEqual([2, 1]);
  onStepUp.mockResolvedValue(false);
  answers.push(json(403, { code: "step_up_required", detail: "Confirm." }));
  const refused = await failure(client.patch("/admin/api/account", { body: { name: "Ana" } }));
  expect(refused.code).toBe("step_up_required");
  expect(fetch.mock.calls.length).toBe(3);
});

test("reading carries no CSRF token", async () => {
  const { client, sent } = setUp(() => json(200, {}), "secret");
  await client.get("/admin/api/users");
  expect(sent().headers).toEqual({ accept: "application/json" });
});

test("an answer without content is nothing", async () => {
  const { client } = setUp(() => new Response(null, { status: 204 }));
  expect(await client.delete("/admin/api/tokens/{id}", { params: { id: "t1" } })).toBeUndefined();
});

test("a problem keeps its sentence, its code and the first message of each field", async () => {
  const { client } = setUp(() =>
    json(400, {
      type: "about:blank",
      title: "Invalid input",
      status: 400,
      code: "invalid_input",
      detail: "Two fields need another look.",
      requestId: "r-1",
      errors: [
        { field: "email", message: "This address is taken." },
        { field: "email", message: "Second message." },
        { field: "name", message: "Too long." },
        { field: 3 },
        null,
      ],
    }),
  );
  const error = await failure(client.post("/admin/api/users", { body: { email: "", role: "" } }));
  expect({ ...error, message: error.message, retryable: error.retryable }).toEqual({
    name: "ApiError",
    message: "Two fields need another look.",
    status: 400,
    code: "invalid_input",
    requestId: "r-1",
    fieldErrors: { email: "This address is taken.", name: "Too long." },
    retryable: false,
  });
});

test("an answer that is no problem document still reads as a sentence", async () => {
  const { client } = setUp(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  const error = await failure(client.get("/admin/api/users"));
  expect([error.status, error.code, error.message, error.retryable]).toEqual([
    502,
    "unknown",
    words.errors.unreachable,
    true,
  ]);
});

test("no answer at all says so and can be tried again", async () => {
  const { client, onUnauthenticated } = setUp(() => Promise.reject(new TypeError("Failed to fetch")));
  const error = await failure(client.get("/admin/api/users"));
  expect([error.status, error.message, error.retryable]).toEqual([NO_ANSWER, words.errors.unreachable, true]);
  expect(onUnauthenticated).not.toHaveBeenCalled();
});

test("401 is reported with the path that met it", async () => {
  const { client, onUnauthenticated } = setUp(() => json(401, { code: "unauthenticated", detail: "Sign in first." }));
  const error = await failure(client.get("/admin/api/users"));
  expect(error.message).toBe("Sign in first.");
  expect(onUnauthenticated.mock.calls).toEqual([["/admin/api/users"]]);
});
