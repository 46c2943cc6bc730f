import { expect, test } from "vitest";
import { ownCssProblems, ownCssRefusal, ownValue, withOwnValue } from "./own-css";

test.for([
  ["color: red", "color", "red"],
  ["COLOR:red;color : blue ;", "color", "blue"],
  ["color: red !important; color: blue", "color", "red"],
  ['background: url("a;b.png"); color: red', "color", "red"],
  ["background: url(data:image/png;base64,xx); color: red", "color", "red"],
  ["/* color: green; */ color: red", "color", "red"],
  ["--Brand: a; --brand: b", "--Brand", "a"],
  ["margin: 1px", "margin-top", undefined],
  ["", "color", undefined],
] as const)("%s says of %s: %s", ([css, property, expected]) => {
  expect(ownValue(css, property)).toBe(expected);
});

test.for([
  [null, "color", "red", "color: red"],
  ["color: red", "color", "blue", "color: blue"],
  ["color: red;", "margin", "0", "color: red; margin: 0"],
  ["color: red; margin: 0", "color", undefined, "margin: 0"],
  ["color: red", "color", undefined, null],
  ["color: red !important", "color", "blue", "color: blue !important"],
  ["color: red; colr: x; color: blue", "color", "green", "colr: x; color: green"],
  ["margin-top: 1px; margin: 2px", "margin-top", "3px", "margin: 2px; margin-top: 3px"],
  ["/* mine */ color: red; oops", "color", "blue", "/* mine */ color: blue; oops"],
  ["/* mine */ color: red; margin: 0", "color", undefined, "/* mine */; margin: 0"],
  ["color: red; content: 'unclosed", "margin", "0", "color: red; margin: 0; content: 'unclosed"],
  ["width: calc(1px", "color", "red", "color: red;width: calc(1px"],
  ["color: red;\n  margin: 0;\n", "color", "blue", "color: blue;\n  margin: 0"],
] as const)("%s with %s of %s becomes %s", ([css, property, value, expected]) => {
  expect(withOwnValue(css, property, value)).toBe(expected);
});

const supports = (property: string, value: string) => ["color", "width"].includes(property) && !value.includes("wrong");

test.for([
  ["color: red; --x: {anything}; /* fine */", []],
  ["colour: red", ["“colour” is not a known property."]],
  ["color: wrong", ["“wrong” is not a value for “color”."]],
  ["color", ["“color” has no colon: write “property: value”."]],
  ["color:", ["“color” has no value."]],
  ["color: red;\nwidth: calc(1px", ["Line 2: a “(” is never closed."]],
  ["/* open", ["A comment is never closed."]],
  ["h1 { color: red }", ["Enter declarations only, such as “color: red”. Selectors and braces aren’t supported here."]],
] as const)("%s has the problems %s", ([css, expected]) => {
  expect(ownCssProblems(css, supports)).toEqual(expected);
});

test.for([
  ["color: red; colour: blue; width: wrong", undefined],
  ["--x: {anything}", undefined],
  [
    "&:hover { background: #000 }",
    "Enter declarations only, such as “color: red”. Selectors and braces aren’t supported here.",
  ],
  [
    "a:hover { color: red }",
    "Enter declarations only, such as “color: red”. Selectors and braces aren’t supported here.",
  ],
  ["color: red;\ncolor", "Line 2: “color” has no colon: write “property: value”."],
  ["width: calc(1px", "A “(” is never closed."],
] as const)("%s is refused with %s", ([css, expected]) => {
  expect(ownCssRefusal(css)).toBe(expected);
});
