import { expect, test } from "vitest";
import { returnPath, signInPath } from "./return-path";

test.each([
  ["/settings/people", "/sign-in?next=%2Fsettings%2Fpeople"],
  ["/", "/sign-in"],
  ["/setup", "/sign-in"],
])("coming from %s", (from, expected) => {
  expect(signInPath(from)).toBe(expected);
});

test.each([
  ["next=%2Fsettings%2Fpeople", "/settings/people"],
  ["", "/"],
  ["next=https%3A%2F%2Fevil.example", "/"],
  ["next=%2F%2Fevil.example", "/"],
  ["next=%2F%5Cevil.example", "/"],
  ["next=javascript%3Aalert(1)", "/"],
  ["next=%2Fsign-in", "/"],
])("signing in with ?%s", (search, expected) => {
  expect(returnPath(search)).toBe(expected);
});
