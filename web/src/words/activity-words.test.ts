import { expect, test } from "vitest";
import type { AuditEntry } from "../generated/api";
import { logLines, namesFrom, whatHappened, whoDidIt } from "./activity-words";

const PEOPLE = [
  { id: "u1", name: "Ana" },
  { id: "u2", name: "Bruno" },
];

function entry(action: string, rest: Partial<AuditEntry> = {}): AuditEntry {
  return { id: "a1", at: 0, actor: "user:u1", actorName: "Ana", action, ...rest };
}

test.each([
  [entry("instance.set_up", { detail: { siteName: "Northwind" } }), "Set up Northwind"],
  [entry("session.began", { subject: "u1", detail: { address: "127.0.0.1" } }), "Signed in from 127.0.0.1"],
  [entry("user.added", { subject: "u2", detail: { email: "b@x.org", role: "editor" } }), "Invited b@x.org as Editor"],
  [entry("user.renamed", { subject: "u1" }), "Changed their own name"],
  [entry("user.renamed", { subject: "u2" }), "Changed Bruno’s name"],
  [entry("user.password_changed", { subject: "u2", detail: { by: "link" } }), "Set Bruno’s password with a link"],
  [entry("user.removed", { subject: "u9" }), "Removed someone from the site"],
  [entry("role.changed", { subject: "shop", detail: { name: "Shop helper" } }), "Saved the role Shop helper"],
  [entry("user.disabled", { subject: "u2", detail: undefined }), "Disabled sign-in for Bruno"],
  [
    entry("tool.registered", { subject: "pim.getProduct", detail: { host: "x.org" } }),
    "Connected the tool pim.getProduct",
  ],
  [entry("media.added", { subject: "m1", detail: { name: "Harbour" } }), "Added the picture Harbour"],
  [entry("site.published", { detail: { number: 3 } }), "Published release 3"],
  [
    entry("ai.default.set", { subject: "site", detail: { model: "claude-opus-5-5" } }),
    "Chose the model claude-opus-5-5",
  ],
  [entry("ai.credential.added", { subject: "c1", detail: { label: "Main" } }), "Connected the AI provider Main"],
  [entry("call.done", { subject: "insertHtml" }), "Added content"],
  [entry("call.ready", { subject: "deletePage" }), "Approved: deleting a page"],
  [entry("call.failed", { subject: "shop.order" }), "Failed: calling shop.order"],
  [entry("garden.was_watered"), "Garden was watered"],
])("%j", (given, expected) => {
  expect(whatHappened(given, namesFrom(PEOPLE, [given]))).toBe(expected);
});

test("the same thing many times in a row is one line", () => {
  const log = [
    entry("call.done", { id: "3", subject: "insertHtml" }),
    entry("call.done", { id: "2", subject: "insertHtml" }),
    entry("session.ended", { id: "1" }),
  ];
  expect(logLines(log, namesFrom([], [])).map(({ id, what, count }) => [id, what, count])).toEqual([
    ["3", "Added content", 2],
    ["1", "Signed out", 1],
  ]);
});

test("an earlier entry names what no longer exists", () => {
  const made = entry("token.created", { subject: "t1", detail: { name: "Export" } });
  const revoked = entry("token.revoked", { subject: "t1", detail: {} });
  expect(whatHappened(revoked, namesFrom([], [revoked, made]))).toBe("Revoked the token Export");
  const added = entry("ai.credential.added", { subject: "c1", detail: { label: "Main" } });
  const removed = entry("ai.credential.removed", { subject: "c1", detail: {} });
  expect(whatHappened(removed, namesFrom([], [removed, added]))).toBe("Removed the AI provider Main");
});

test.each([
  [{ actor: "user:u1", actorName: "Ana" }, "Ana"],
  [{ actor: "local", actorName: null }, "System"],
  [{ actor: "anonymous", actorName: undefined }, "Not signed in"],
  [{ actor: "user:u9", actorName: undefined }, "A former member"],
])("%j", (actor, expected) => {
  expect(whoDidIt(entry("x", actor))).toBe(expected);
});
