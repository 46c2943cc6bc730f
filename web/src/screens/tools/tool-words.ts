// A tool in words: what kind it is and where it is found.
import type { ListedTool } from "../../generated/api";
import { words } from "../../glossary";
import { visible } from "../../words/visible-text";

export type ToolKind = "look" | "change" | "outside";

/** What running it can leave behind. What a tool does not say is taken from whether it only looks. */
export function kindOf({ capability, effect }: ListedTool): ToolKind {
  if (effect === "external" || (!effect && capability === "write")) return "outside";
  return capability === "read" ? "look" : "change";
}

export function kindBadge(tool: ListedTool): { text: string; tone: "plain" | "accent" | "caution" } {
  const kind = kindOf(tool);
  const { kindBadges } = words.tools;
  if (tool.effect === "durable") return { text: kindBadges.durable, tone: "caution" };
  return { text: kindBadges[kind], tone: kind === "look" ? "plain" : kind === "change" ? "accent" : "caution" };
}

export function toolName({ title, name }: ListedTool): string {
  return visible(title || name);
}

export function toolPath({ name }: ListedTool): string {
  return `/tools/tool/${encodeURIComponent(name)}`;
}

/** Whether every word stands somewhere in what the tool says about itself. */
export function matches(tool: ListedTool, search: string): boolean {
  const text = [tool.name, tool.title, tool.description, ...(tool.intentTags ?? [])].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The first sentence of a description, for a list. */
export function firstSentence(text: string): string {
  const end = /[.!?](?=\s|$)/.exec(text);
  return visible(end === null ? text : text.slice(0, end.index + 1));
}
