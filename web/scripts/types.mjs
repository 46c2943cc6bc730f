// Turns the components of the committed OpenAPI document into TypeScript, so that the shell and the server share one schema source.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const generated = new URL("../src/generated/", import.meta.url);
const document = JSON.parse(await readFile(new URL("openapi.json", generated), "utf8"));

/** Points references at `$defs`, and drops titles and what stands beside a reference: both would make a second type of the same name. */
function localise(value) {
  if (Array.isArray(value)) return value.map(localise);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.$ref === "string") return { $ref: value.$ref.replace("#/components/schemas/", "#/$defs/") };
  const copy = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === "title" && typeof inner === "string") continue;
    copy[key] = localise(inner);
  }
  return copy;
}

const schemas = localise(document.components.schemas);
const root = {
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(Object.keys(schemas).map((name) => [name, { $ref: `#/$defs/${name}` }])),
  $defs: schemas,
};

const source = await compile(root, "Components", {
  additionalProperties: false,
  bannerComment: "// Generated from openapi.json by `npm run types`.",
  format: false,
});
await writeFile(new URL("api.ts", generated), source);
