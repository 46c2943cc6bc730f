import { expect, test } from "vitest";
import { contentWorkspace, entryAt } from "./content-workspace";

test("the entry that is open goes along with a message", () => {
  expect(entryAt("/content/entry/e1")).toBe("e1");
  expect(entryAt("/content/entries/blog")).toBeUndefined();
  expect(contentWorkspace("e1").snapshot()).toEqual({ currentEntryId: "e1" });
  expect(contentWorkspace(undefined).snapshot()).toEqual({ currentEntryId: null });
});
