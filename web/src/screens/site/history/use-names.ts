// What the makers of changes are called.
import type { HistoryItem } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSession } from "../../../hooks/use-session";
import { authorName } from "../../publish/authors";

export type NameOf = (change: HistoryItem & { authorName?: string | null }) => string;

export function useNames(): NameOf {
  const { user } = useSession();
  return ({ author, authorName: name }) => {
    if (author.kind === "person" && author.id === user?.id) return words.states.you;
    return authorName({ ...author, name });
  };
}
