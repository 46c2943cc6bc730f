// A document as somebody gives it: files, an address or a text.
import type { DocumentSource } from "../../../generated/api";

export type DocumentWay = "file" | "url" | "text";

export async function sourceFrom(way: DocumentWay, text: string, files: readonly File[]): Promise<DocumentSource> {
  if (way === "url") return { url: text.trim() };
  if (way === "text") return { root: nameOf(text), files: { [nameOf(text)]: text } };
  const texts = await Promise.all(files.map(async (file) => [file.name, await file.text()] as const));
  return { root: files[0]?.name ?? "", files: Object.fromEntries(texts) };
}

function nameOf(text: string): string {
  return text.trimStart().startsWith("{") ? "openapi.json" : "openapi.yaml";
}

/** Secrets by security scheme, one per line; `undefined` if nothing is given or a line is none. */
export function credentialsIn(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => /^\s*([^:\s]+)\s*:\s*(\S.*?)\s*$/.exec(line));
  if (lines.length === 0 || pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]));
}
