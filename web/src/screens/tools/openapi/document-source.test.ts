import { expect, test } from "vitest";
import { credentialsIn, sourceFrom } from "./document-source";

test("a document is sent as texts or as an address", async () => {
  expect(await sourceFrom("url", " https://a.example/openapi.json ", [])).toEqual({
    url: "https://a.example/openapi.json",
  });
  expect(await sourceFrom("text", "openapi: 3.0.0", [])).toEqual({
    root: "openapi.yaml",
    files: { "openapi.yaml": "openapi: 3.0.0" },
  });
  const files = [new File(["{}"], "api.json"), new File(["a: 1"], "schemas.yaml")];
  expect(await sourceFrom("file", "", files)).toEqual({
    root: "api.json",
    files: { "api.json": "{}", "schemas.yaml": "a: 1" },
  });
});

test("credentials are lines of scheme and secret", () => {
  expect(credentialsIn("")).toBeUndefined();
  expect(credentialsIn("apiKey")).toBeUndefined();
  expect(credentialsIn("apiKey: a:b c\n\n basic : x ")).toEqual({ apiKey: "a:b c", basic: "x" });
});
