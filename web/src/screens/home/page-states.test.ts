import { expect, test } from "vitest";
import type { ChangeInfo } from "../../generated/api";
import { pageState, publishProblems } from "./page-states";

const change = (address: string, kind: ChangeInfo["change"], problems: string[] = []): ChangeInfo => ({
  address,
  title: address,
  change: kind,
  authors: [],
  tainted: false,
  hasScripts: false,
  problems,
});
const release = { id: "r1", number: 1, seq: 1, by: "local", note: "", at: 0, pages: 2, isCurrent: true };
const would = {
  release,
  changes: [change("/", "changed"), change("/new", "new", ["A text is a placeholder."])],
  problems: ["B."],
};

test.each([
  ["/", false, "changed"],
  ["/new", false, "new"],
  ["/about", false, "live"],
  ["/new", true, "draft"],
] as const)("%s, draft %s, is %s", (permalink, isDraft, expected) => {
  expect(pageState({ permalink, isDraft }, would)).toBe(expected);
});

test("nothing is said of a page before the comparison has arrived, except that it is a draft", () => {
  expect(pageState({ permalink: "/", isDraft: false }, undefined)).toBeUndefined();
  expect(pageState({ permalink: "/", isDraft: true }, undefined)).toBe("draft");
});

test("what the publish check found is listed for pages and the whole site", () => {
  expect(publishProblems(would)).toEqual(["A text is a placeholder.", "B."]);
});

test("before the first release no page is live, and the page for missing addresses is found by its file", () => {
  expect(pageState({ permalink: "/about", isDraft: false }, { release: null, changes: [] })).toBe("new");
  const changes = [change("/404.html", "changed")];
  expect(pageState({ permalink: "/404", isDraft: false }, { ...would, changes })).toBe("changed");
});
