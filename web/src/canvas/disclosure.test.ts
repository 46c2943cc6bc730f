// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { disclose } from "./disclosure";

beforeEach(() => {
  document.body.innerHTML =
    '<details id="a"><summary>A</summary><details id="b"><p id="in">x</p></details></details><details id="c" open></details>';
});

const open = () => [...document.querySelectorAll("details[open]")].map(({ id }) => id).join(" ");
const at = (id: string) => [document.getElementById(id)].filter((one) => one !== null);

test("what holds the selected element is open for as long as it is selected", () => {
  expect(disclose(document, at("in"))).toBe(true);
  expect(open()).toBe("a b c");
  expect(disclose(document, at("in"))).toBe(false);
  expect(disclose(document, at("a"))).toBe(true);
  expect(open()).toBe("a c");
  disclose(document, []);
  expect(open()).toBe("c");
});

test("what the page opens itself stays open", () => {
  disclose(document, at("c"));
  disclose(document, []);
  expect(open()).toBe("c");
});
