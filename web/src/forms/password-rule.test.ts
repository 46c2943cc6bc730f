import { expect, test } from "vitest";
import { passwordLength, passwordProblem } from "./password-rule";

test.each([
  ["", "Choose a password."],
  ["short", "Add 7 more characters."],
  ["elevenchars", "Add 1 more character."],
  ["twelve chars", undefined],
  ["            ", undefined],
  ["ünïcödé wörd", undefined],
  ["x".repeat(1025), "This password is too long. Use a shorter one."],
])("the password %j", (password, expected) => {
  expect(passwordProblem(password)).toBe(expected);
});

test("a character outside the basic plane counts once", () => {
  expect(passwordLength("🔑🔑")).toBe(2);
});
