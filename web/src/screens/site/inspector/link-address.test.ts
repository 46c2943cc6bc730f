import { expect, test } from "vitest";
import { linkAddress } from "./link-address";

test.each([
  ["example.com", "https://example.com"],
  [" www.example.co.uk/a?b#c ", "https://www.example.co.uk/a?b#c"],
  ["example.com:8080/x", "https://example.com:8080/x"],
  ["ana@example.com", "mailto:ana@example.com"],
])("%s is meant as %s", (written, meant) => {
  expect(linkAddress(written)).toBe(meant);
});

test.each(["", "/visit", "#contact", "?page=2", "visit", "visit.html", "./a.b/c", "https://example.com", "tel:+4412"])(
  "%s stays as it is",
  (written) => {
    expect(linkAddress(written)).toBe(written);
  },
);
