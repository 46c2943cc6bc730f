// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { patchElement, patchText } from "./frame-document";
import { createNodeIndex } from "./node-index";

const PLACE = { body: "page", node: "text" };
const PAGE =
  '<main data-sw-node="main"><p data-sw-node="p" class="a"><!--sw-text page text-->Old</p><hr data-sw-node="hr"></main>';

function page(html = PAGE) {
  const frame = new DOMParser().parseFromString(`<body data-sw-node="root">${html}</body>`, "text/html");
  const index = createNodeIndex();
  index.add(frame.documentElement);
  return { frame, index };
}

test("an element is written anew in its place and stays the same one", () => {
  const { frame, index } = page();
  const [before] = index.find("p");
  const html = '<p data-sw-node="p" class="b"><!--sw-text page text-->New <b data-sw-node="b">bold</b></p>';
  expect(patchElement(index, "p", html)).toBe(true);
  expect(index.find("p")).toEqual([before]);
  expect([frame.querySelector("p")?.className, frame.body.textContent]).toEqual(["b", "New bold"]);
  // What came with it can be found at once.
  expect(index.find("b")).toHaveLength(1);
});

test("an element with another tag takes the place of the old one", () => {
  const { frame, index } = page();
  expect(patchElement(index, "p", '<h2 data-sw-node="p">Title</h2>')).toBe(true);
  expect(frame.querySelector("main")?.firstElementChild?.tagName).toBe("H2");
  expect(index.find("p")).toHaveLength(1);
});

test("what is hidden goes, and needs the whole page to come back", () => {
  const { frame, index } = page();
  expect(patchElement(index, "hr", "")).toBe(true);
  expect(frame.querySelector("hr")).toBeNull();
  expect(patchElement(index, "hr", '<hr data-sw-node="hr">')).toBe(false);
});

test("what is shown several times needs the whole page", () => {
  const { index } = page(PAGE + PAGE);
  expect(patchElement(index, "p", '<p data-sw-node="p">One</p>')).toBe(false);
  expect(patchText(index, "p", PLACE, "<!--sw-text page text-->One")).toBe(false);
});

test("a text is written anew, but not while somebody writes in it", () => {
  const { frame, index } = page();
  expect(patchText(index, "p", PLACE, "<!--sw-text page text-->New")).toBe(true);
  expect(frame.querySelector("p")?.textContent).toBe("New");
  const field = frame.createElement("sw-text");
  field.textContent = "Mine";
  frame.querySelector("p")?.lastChild?.replaceWith(field);
  expect(patchText(index, "p", PLACE, "<!--sw-text page text-->Theirs")).toBe(true);
  expect(frame.querySelector("p")?.textContent).toBe("Mine");
});

test("a text that is not shown is told by its element", () => {
  const { index } = page();
  expect(patchText(index, "p", { body: "page", node: "other" }, "<!--sw-text page other-->New")).toBe(false);
});
