// What the makers of changes are called, as far as the reader may know it.
import { useEffect, useState } from "react";
import { api } from "../../../app-state";
import type { Author } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSession } from "../../../hooks/use-session";
import { may } from "../../../permissions";
import { authorName } from "../../publish/authors";

export type NameOf = (author: Author) => string;

export function useNames(): NameOf {
  const { user, capabilities } = useSession();
  const [people, setPeople] = useState<ReadonlyMap<string, string>>(new Map());
  const mayList = may(capabilities, { needs: "users.manage" });
  useEffect(() => {
    if (!mayList) return;
    api.users().then(
      ({ users }) => setPeople(new Map(users.map(({ id, name }) => [id, name]))),
      // Without the list, others are somebody.
      () => undefined,
    );
  }, [mayList]);
  return (author) => {
    if (author.kind === "local") return authorName(author);
    if (author.kind === "person" && author.id === user?.id) return words.states.you;
    const name = people.get(author.id) ?? (author.id === user?.id ? user?.name : undefined);
    if (author.kind === "script") return words.tokenKinds.script;
    return name === undefined && author.kind === "person" ? words.history.somebody : authorName({ ...author, name });
  };
}
