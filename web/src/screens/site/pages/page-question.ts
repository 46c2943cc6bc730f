// What is being asked about a page: its words, the file it is made of, or whether it may go.
import type { PageEntry } from "../../../site/model";
import { createStore, type Store } from "../../../state/store";

export type PageQuestion =
  | { kind: "add" }
  | { kind: "import" }
  | { kind: "rename" | "duplicate"; page: PageEntry }
  | { kind: "delete"; page: PageEntry };

export const pageQuestion: Store<PageQuestion | undefined> = createStore<PageQuestion | undefined>(undefined);
