import { useSyncExternalStore } from "react";
import { inbox } from "../app-state";
import type { InboxState } from "../state/inbox";

export function useInbox(): InboxState {
  return useSyncExternalStore(inbox.subscribe, inbox.get);
}
