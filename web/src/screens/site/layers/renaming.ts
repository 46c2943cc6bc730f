// The layer whose name is being written.
import { createStore, type Store } from "../../../state/store";

export const renaming: Store<string | undefined> = createStore<string | undefined>(undefined);
