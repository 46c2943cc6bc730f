// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { clipboardTexts, isSource, paragraphs, pastedHtml, rulesFor } from "./clipboard";

const HERE = "https://here.example";
const parse = (html: string) => new DOMParser().parseFromString(html, "text/html");
const paste = (html: string, text = "") => pastedHtml({ html, text }, HERE, parse);

test("what was copied comes back as it was, with its styles on another site", () => {
  const card = '<article class="card"><h2>Rye</h2><p>Price: {currentEntry.price}</p></article>';
  const texts = clipboardTexts(card, ".card { color: red; }", HERE, parse);
  expect(texts.text).toBe("Rye\nPrice: {currentEntry.price}");
  expect(pastedHtml(texts, HERE, parse)).toMatchObject({ html: card, braces: "bindings" });
  expect(pastedHtml(texts, "https://there.example", parse)?.html).toBe(`<style>.card { color: red; }</style>${card}`);
});

test("rich text loses the look of where it came from", () => {
  const docs =
    '<meta charset="utf-8"><!--StartFragment--><b style="font-weight:normal" id="docs-internal-guid-1"><p style="color:red" class="x"><span>One</span> <strong>two</strong></p></b><!--EndFragment-->';
  expect(paste(docs, "One two")).toEqual({
    html: "<p>One <strong>two</strong></p>",
    braces: "literal",
    lostLook: true,
  });
  expect(paste("<span>just words</span>", "just words")?.html).toBe("<p>just words</p>");
});

test("source code counts before a coloured rendering of it", () => {
  const source = '<section class="x" onclick="y()"><h2>Hi</h2></section>\n';
  expect(paste("<div><span>&lt;section</span></div>", source)).toMatchObject({ html: source });
  expect(paste("", "<!doctype html><p>b</p>")?.html).toBe("<!doctype html><p>b</p>");
  expect([isSource("<p>a</p>"), isSource("a < b and c > d"), isSource("<3 you")]).toEqual([true, false, false]);
});

test("plain text becomes paragraphs", () => {
  expect(paragraphs("One & {page.title}\r\nline\n\n\n Two <b>")).toBe(
    "<p>One &amp; {page.title}<br>line</p><p>Two &lt;b&gt;</p>",
  );
  expect(paste("", "Hello")).toMatchObject({ html: "<p>Hello</p>", braces: "literal" });
  expect(paste("", " \n ")).toBeUndefined();
});

test("an element takes along the rules for its classes, and not those of the whole site", () => {
  document.head.innerHTML =
    "<style>h2 { color: blue } .card { color: red } .card:hover h2 { color: green } .other { color: pink } " +
    "@media (max-width: 640px) { .card { padding: 0 } .other { margin: 0 } }</style>";
  document.body.innerHTML = '<article class="card"><h2>Rye</h2></article>';
  const card = document.querySelector("article");
  const css = card === null ? "" : rulesFor(card).replace(/\s+/g, " ");
  expect(css).toMatch(/\.card \{ color: red/);
  expect(css).toMatch(/\.card:hover h2/);
  expect(css).toMatch(/@media \(max-width: 640px\) \{ \.card \{ padding: 0/);
  expect(css).not.toMatch(/blue|pink|margin/);
});
