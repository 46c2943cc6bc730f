// Who has just made a change, by name. The log keeps ids; whoever changes something is usually here.
import { presence } from "../../app-state";
import { words } from "../../glossary";
import type { Author } from "../../site/model";

/** `viewer` is who looks: their own changes come from another tab. */
export function nameOfAuthor(author: Author, viewer: string): string {
  switch (author.kind) {
    case "person":
      if (author.id === viewer) return words.editor.you;
      return presence.get().people.find(({ id }) => id === author.id)?.name ?? words.editor.somebody;
    case "agent":
      return words.actors.assistant;
    case "script":
      return words.editor.script;
    case "local":
      return words.editor.commandLine;
  }
}
