// The parts of Sitewright that have an assistant, in words.
import type { Scope } from "../../generated/api";
import { words } from "../../glossary";

export const PARTS: readonly Scope[] = ["site", "content", "data", "plugin", "breadcrumbs"];

export function partName(scope: string): string {
  return words.ai.parts[scope] ?? scope;
}

/** "Site, Content and Data". */
export function partNames(scopes: readonly string[]): string {
  const names = PARTS.filter((part) => scopes.includes(part)).map(partName);
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
