// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { morph } from "./morph";
import { seen, shownText, textBeside, toStore } from "./texts";

const parse = (html: string) => new DOMParser().parseFromString(html, "text/html");
const keeps = (node: Node) => node.nodeName === "SW-TEXT";

function morphed(from: string, to: string) {
  const [old, wanted] = [parse(from), parse(to)];
  const before = new Map(
    [...old.querySelectorAll("[data-sw-node]")].map((one) => [one.getAttribute("data-sw-node"), one]),
  );
  morph(old.documentElement, wanted.documentElement, keeps);
  expect(old.documentElement.outerHTML).toBe(wanted.documentElement.outerHTML);
  return (id: string) => old.querySelector(`[data-sw-node="${id}"]`) === before.get(id);
}

test("a page becomes the other one, and what stays is the same element", () => {
  const same = morphed(
    `<body class="a"><p data-sw-node="1">One</p><p data-sw-node="2">Two</p><hr data-sw-node="3"></body>`,
    `<body data-x="y"><p data-sw-node="2" class="c">Two!</p><p data-sw-node="4">New</p><hr data-sw-node="3"></body>`,
  );
  expect([same("2"), same("3")]).toEqual([true, true]);
});

test("what moved, came and went ends as it should", () => {
  morphed(
    `<body><p data-sw-node="1">A</p><p data-sw-node="2">B</p></body>`,
    `<body><p data-sw-node="2">B</p><p data-sw-node="1">A</p></body>`,
  );
  morphed(`<body>text<b data-sw-node="1">A</b></body>`, `<body><!--sw-text b n-->other<i>A</i>tail</body>`);
  morphed(`<body><p data-sw-node="1"></p></body>`, `<body><div data-sw-node="1"></div></body>`);
});

test("a text that is being written stays, whatever else changes", () => {
  const old = parse(
    `<body><p data-sw-node="1"><!--sw-text b n--><sw-text>Mine</sw-text><b data-sw-node="2">x</b></p></body>`,
  );
  const editor = old.querySelector("sw-text");
  morph(
    old.documentElement,
    parse(
      `<body><h1 data-sw-node="9">New</h1><p data-sw-node="1"><!--sw-text b n-->Theirs<b data-sw-node="2">y</b></p></body>`,
    ).documentElement,
    keeps,
  );
  expect(old.querySelector("sw-text")).toBe(editor);
  expect(old.body.textContent).toBe("NewMiney");
  morph(
    old.documentElement,
    parse(`<body><p data-sw-node="1"><!--sw-text b other-->Another</p></body>`).documentElement,
    keeps,
  );
  expect(editor?.isConnected).toBe(false);
});

test("texts are found by the comments before them, one after the other", () => {
  const page = parse(`<body><p>plain<!--sw-text 0a 0b-->One<b><!--sw-text 0a 0c-->Two</b></p></body>`);
  const first = textBeside(page.body, page.body, "next");
  const second = first && textBeside(first.node, page.body, "next");
  expect([first?.place, second?.place]).toEqual([
    { body: "0a", node: "0b" },
    { body: "0a", node: "0c" },
  ]);
  expect(second && textBeside(second.node, page.body, "next")).toBeUndefined();
  expect(second && textBeside(second.node, page.body, "previous")?.node.data).toBe("One");
  expect(shownText(page.querySelector("p")?.firstChild ?? null)).toBeUndefined();
});

test("the spaces around a text stay when it is edited", () => {
  const stored = "\n    Good\n    bread \n";
  expect(seen(stored, false)).toBe("Good bread");
  expect(toStore(stored, "Better bread", false)).toBe("\n    Better bread \n");
  expect([seen(stored, true), toStore(stored, "x\n", true)]).toEqual([stored, "x\n"]);
});
