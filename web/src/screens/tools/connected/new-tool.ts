// The form for connecting a tool as the server takes it.
import { invalid } from "../../../api/problem";
import type { FormValues } from "../../../forms/form-values";
import type { NewTool } from "../../../generated/api";
import { words } from "../../../glossary";

const ATTEMPTS_OF_REPEATABLE = 2;

export function newToolFrom(values: FormValues): NewTool {
  const title = values.text("manifest.title");
  const idempotent = values.list("manifest.idempotent").length > 0;
  const headers = headersFrom(values.text("staticHeaders"));
  return {
    manifest: {
      name: values.text("manifest.name"),
      description: values.text("manifest.description"),
      inputSchema: schemaFrom(values, "manifest.inputSchema"),
      outputSchema: schemaFrom(values, "manifest.outputSchema"),
      capability: values.text("manifest.capability") === "write" ? "write" : "read",
      timeoutMs: Math.round(Number(values.text("manifest.timeoutMs").replace(",", ".")) * 1000) || 0,
      retryPolicy: { maxAttempts: idempotent ? ATTEMPTS_OF_REPEATABLE : 1 },
      idempotent,
      ...(title !== "" && { title }),
    },
    endpoint: values.text("endpoint"),
    ...(Object.keys(headers).length > 0 && { staticHeaders: headers }),
    ...(values.list("harmless").length > 0 && { harmless: true }),
    ...(values.list("replace").length > 0 && { replace: true }),
  };
}

/** `name: value`, one per line. */
export function headersFrom(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.+?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw invalid("staticHeaders", "Write each header as name: value, on a line of its own.");
    }
    headers[name] = value;
  }
  return headers;
}

function schemaFrom(values: FormValues, field: string): Record<string, unknown> {
  try {
    const schema: unknown = JSON.parse(values.text(field));
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return { ...schema };
  } catch (error) {
    throw invalid(field, words.schema.notJson(error instanceof Error ? error.message : ""));
  }
  throw invalid(field, "A schema must be a JSON object.");
}
