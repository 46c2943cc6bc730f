import { expect, test } from "vitest";
import { asApiError } from "../../../api/problem";
import { headersFrom } from "./new-tool";

test("headers are read line by line, with colons in their values", () => {
  expect(headersFrom("x-api-key: a:b \n\n  accept : text/plain")).toEqual({ "x-api-key": "a:b", accept: "text/plain" });
});

test("a line that is no header is refused beside the field", () => {
  const errors = (() => {
    try {
      headersFrom("just words");
    } catch (error) {
      return asApiError(error).fieldErrors;
    }
    return {};
  })();
  expect(Object.keys(errors)).toEqual(["staticHeaders"]);
});
