// Turns the committed schemas into TypeScript, so that the shell, the server and the site core share one schema source: the routes of the
// OpenAPI document with what they take and answer, and what crosses between the shell and the core.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const generated = new URL("../src/generated/", import.meta.url);

/** Keywords that say nothing about what a value may be. */
const ANNOTATIONS = new Set(["description", "title", "default", "examples", "deprecated"]);
const ONE_SCHEMA = new Set(["items", "additionalProperties", "contains", "not"]);
const SCHEMA_LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMA_MAPS = new Set(["properties", "patternProperties", "$defs"]);

const mapValues = (map, change) => Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

/** A reference, with the fields that stand beside it. A description there is dropped: it would make a second type of the same name. */
function referenceOf({ $ref, ...beside }) {
  const reference = { $ref: $ref.replace("#/components/schemas/", "#/$defs/") };
  if (Object.keys(beside).every((key) => ANNOTATIONS.has(key))) return reference;
  return { allOf: [reference, localise({ ...beside, additionalProperties: false })] };
}

/** Points references at `$defs`, writes tuples and "anything" as the compiler knows them, and drops titles, which would name types. */
function localise(schema) {
  if (schema === true) return { tsType: "unknown" };
  if (schema === false) return schema;
  if (typeof schema.$ref === "string") return referenceOf(schema);
  const copy = {};
  for (const [key, inner] of Object.entries(schema)) {
    if (key === "title") continue;
    if (ONE_SCHEMA.has(key)) copy[key] = typeof inner === "boolean" ? inner : localise(inner);
    else if (key === "prefixItems") copy.items = inner.map(localise);
    else if (SCHEMA_LISTS.has(key)) copy[key] = inner.map(localise);
    else if (SCHEMA_MAPS.has(key)) copy[key] = mapValues(inner, localise);
    else copy[key] = inner;
  }
  if (Object.keys(copy).every((key) => ANNOTATIONS.has(key))) copy.tsType = "unknown";
  return copy;
}

const objectOf = (properties, required) => ({ type: "object", properties, required, additionalProperties: false });

function parametersOf({ parameters = [] }, place) {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return undefined;
  const required = found.filter((parameter) => parameter.required).map(({ name }) => name);
  return objectOf(Object.fromEntries(found.map(({ name, schema }) => [name, localise(schema)])), required);
}

/** What a route takes. A body without fields may be left out. */
function inputOf(operation, schemas) {
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const name = content?.schema.$ref?.split("/").at(-1);
  const mayBeLeftOut = name !== undefined && Object.keys(schemas[name].properties ?? {}).length === 0;
  const parts = {
    params: parametersOf(operation, "path"),
    query: parametersOf(operation, "query"),
    body: mediaType === "application/octet-stream" ? { tsType: "Blob" } : content && localise(content.schema),
  };
  const properties = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  const names = Object.keys(properties);
  if (names.length === 0) return { tsType: "Record<string, never>" };
  return objectOf(
    properties,
    names.filter((part) => part === "params" || (part === "body" && !mayBeLeftOut)),
  );
}

/** A route: what it takes and answers, and what the parts are of an answer that goes on. */
function routeOf(operation, schemas) {
  const [[status, { content = {} }]] = Object.entries(operation.responses);
  const schemaOf = (mediaType) => content[mediaType] && localise(content[mediaType].schema);
  const answer = status === "204" ? { tsType: "undefined" } : schemaOf("application/json");
  const parts = {
    input: inputOf(operation, schemas),
    answer,
    line: schemaOf("application/x-ndjson"),
    event: schemaOf("text/event-stream"),
  };
  const properties = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  return { description: operation.summary, ...objectOf(properties, Object.keys(properties)) };
}

function routesOf({ paths, components: { schemas } }) {
  const methods = {};
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      methods[method.toUpperCase()] ??= {};
      methods[method.toUpperCase()][path] = routeOf(operation, schemas);
    }
  }
  const everyKeyOf = (properties) => objectOf(properties, Object.keys(properties));
  return { ...everyKeyOf(mapValues(methods, everyKeyOf)), $defs: mapValues(schemas, localise) };
}

function componentsOf({ $defs }) {
  const properties = Object.fromEntries(Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]));
  return { ...objectOf(properties, []), $defs: mapValues($defs, localise) };
}

async function write(from, [rootOf, rootName], to) {
  const document = JSON.parse(await readFile(new URL(from, generated), "utf8"));
  const source = await compile(rootOf(document), rootName, {
    additionalProperties: false,
    bannerComment: `// Generated from ${from} by \`npm run types\`.`,
    format: false,
  });
  await writeFile(new URL(to, generated), source);
}

await write("openapi.json", [routesOf, "Routes"], "api.ts");
await write("site.json", [componentsOf, "Components"], "site.ts");
