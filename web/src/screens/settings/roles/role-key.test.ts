import { expect, test } from "vitest";
import { newRoleKey } from "./role-key";

test.each([
  ["Shop helper", [], "shop-helper"],
  ["Éditeur & co", [], "editeur-co"],
  ["Owner", ["owner"], "owner-2"],
  ["Owner", ["owner", "owner-2"], "owner-3"],
  ["Редактор", [], "role"],
  ["3D artist", [], "role-3d-artist"],
  ["Редактор", ["role"], "role-2"],
])("%s beside %j becomes %s", (name, taken, expected) => {
  expect(newRoleKey(name, taken)).toBe(expected);
});
