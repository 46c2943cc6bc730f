import { expect, test } from "vitest";
import type { Client } from "./client";
import { addressOf } from "./routes";

test("parameters are filled in and escaped, and what is absent is not asked for", () => {
  const input = { params: { id: "a/b c" }, query: { limit: 5, search: "", before: undefined, scope: null } };
  expect(addressOf("/admin/api/users/{id}", input)).toBe("/admin/api/users/a%2Fb%20c?limit=5&search=");
  expect(addressOf("/tools", {})).toBe("/tools");
});

// Never called: whether these lines compile is what is tested, by `tsc`.
export function typesOfRequests(client: Client): void {
  // @ts-expect-error: there is no such path.
  void client.get("/admin/api/nobody");
  // @ts-expect-error: the path has no such method.
  void client.put("/admin/api/users", { body: {} });
  // @ts-expect-error: the id is missing.
  void client.delete("/admin/api/tokens/{id}");
  // @ts-expect-error: the body is another route's.
  void client.post("/admin/api/session", { body: { name: "Ana" } });
  // @ts-expect-error: the route takes nothing.
  void client.get("/admin/api/users", { query: { limit: 1 } });
  // @ts-expect-error: the route has no such parameter.
  void client.get("/admin/api/audit", { query: { limits: 1 } });
  // @ts-expect-error: the answer has no such field.
  void client.get("/admin/api/session").then(({ nobody }) => nobody);
  // @ts-expect-error: the route answers once.
  void client.getLines("/admin/api/users", {}, new AbortController().signal);
}
