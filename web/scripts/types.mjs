// Turns the committed schemas into TypeScript, so that the shell, the server and the site core share one schema source: the components of
// the OpenAPI document, and what of the site crosses to the browser.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const generated = new URL("../src/generated/", import.meta.url);

/**
 * Points references at `$defs`, writes tuples as the compiler knows them, and drops titles and what stands beside a reference: both would
 * make a second type of the same name.
 */
function localise(value) {
  if (Array.isArray(value)) return value.map(localise);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.$ref === "string") return { $ref: value.$ref.replace("#/components/schemas/", "#/$defs/") };
  const copy = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === "title" && typeof inner === "string") continue;
    copy[key === "prefixItems" ? "items" : key] = localise(inner);
  }
  return copy;
}

async function write(from, schemasOf, to) {
  const document = JSON.parse(await readFile(new URL(from, generated), "utf8"));
  const schemas = localise(schemasOf(document));
  const root = {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(Object.keys(schemas).map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: schemas,
  };
  const source = await compile(root, "Components", {
    additionalProperties: false,
    bannerComment: `// Generated from ${from} by \`npm run types\`.`,
    format: false,
  });
  await writeFile(new URL(to, generated), source);
}

await write("openapi.json", (document) => document.components.schemas, "api.ts");
await write("site.json", (document) => document.$defs, "site.ts");
