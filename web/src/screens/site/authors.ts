// Who made a change, by name. The log keeps ids; people are asked for once, where the viewer may know them.
import { api } from "../../app-state";
import { words } from "../../glossary";
import type { Author } from "../../site/model";

let people: Promise<ReadonlyMap<string, string>> | undefined;

function names(): Promise<ReadonlyMap<string, string>> {
  people ??= api.users().then(
    ({ users }) => new Map(users.map(({ id, name }) => [id, name])),
    // Not everybody may see the list of people.
    () => new Map(),
  );
  return people;
}

/** `viewer` is who looks: their own changes come from another tab. */
export async function authorName(author: Author, viewer: string): Promise<string> {
  switch (author.kind) {
    case "person":
      if (author.id === viewer) return words.editor.you;
      return (await names()).get(author.id) ?? words.editor.somebody;
    case "agent":
      return words.actors.assistant;
    case "script":
      return words.editor.script;
    case "local":
      return words.editor.commandLine;
  }
}
