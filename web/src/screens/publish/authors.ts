// Who made a change, as a person would say it.
import type { Author, AuthorInfo } from "../../generated/api";
import { words } from "../../glossary";
import { visible } from "../../words/visible-text";

/** What somebody is called; `name` where the server knows it. */
export function authorName(author: (Author | AuthorInfo) & { name?: string | null }): string {
  const name = author.name ? visible(author.name) : undefined;
  if (author.kind === "local") return words.actors.local;
  if (author.kind === "agent") return name === undefined ? words.actors.assistant : words.actors.assistantFor(name);
  return name ?? words.actors.gone;
}

/** Several people in one phrase: the latest first, the rest as a number. */
export function authorNames(authors: readonly AuthorInfo[]): string {
  const names = [...new Set(authors.map(authorName))];
  const shown = names.slice(0, 2);
  if (names.length > 2) shown.push(words.approvals.more(names.length - 2));
  return shown.join(", ");
}
