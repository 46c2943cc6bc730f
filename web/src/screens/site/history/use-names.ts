// What the makers of changes are called.
import type { HistoryItem } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSession } from "../../../hooks/use-session";
import { authorName } from "../../publish/authors";

export type NameOf = (change: Pick<HistoryItem, "author" | "authorName">) => string;

export function useNames(): NameOf {
  const { user } = useSession();
  return ({ author, authorName: name }) => {
    const isOwn = author.kind !== "local" && author.id === user?.id;
    if (isOwn && author.kind === "person") return words.states.you;
    if (isOwn && author.kind === "agent") return words.actors.assistantForYou;
    return authorName({ ...author, name });
  };
}
