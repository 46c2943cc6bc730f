import { expect, test } from "vitest";
import { plainSentence, refusalSentence } from "./refusal-words";

test("names in code are quoted", () => {
  expect(plainSentence("`admin` is reserved by Sitewright; choose another address, such as `admin-page`.")).toBe(
    "“admin” is reserved by Sitewright; choose another address, such as “admin-page”.",
  );
});

test("advice for models is left out", () => {
  expect(plainSentence("nodes can be nested 100 deep at most. Read the document again and correct the call.")).toBe(
    "nodes can be nested 100 deep at most.",
  );
  expect(plainSentence("There is no page 1; list_documents names those there are.")).toBe("There is no page 1.");
  expect(plainSentence("Use at most 9 characters; put the rest into code files (write_code_asset).")).toBe(
    "Use at most 9 characters; put the rest into code files.",
  );
});

test("what is not found is gone", () => {
  const refused = {
    code: "not_found",
    message: "There is no node 3wg. Read the document again: ids are never made up.",
  };
  expect(refusalSentence(refused)).toBe("This no longer exists. Someone may have deleted it.");
});
