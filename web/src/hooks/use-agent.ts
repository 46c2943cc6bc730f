// The assistant, as components see it.
import { useSyncExternalStore } from "react";
import type { PanelState, Talk } from "../agent/agent";
import type { ChatState } from "../agent/chat";
import type { ProvidersState } from "../agent/providers";
import { agent } from "../app-state";

export const usePanel = (): PanelState => useSyncExternalStore(agent.subscribe, agent.get);

/** The conversation of the workspace that the panel is in. */
const useTalk = (): Talk => agent.of(usePanel().workspace);

export function useChat(): ChatState {
  const { chat } = useTalk();
  return useSyncExternalStore(chat.subscribe, chat.get);
}

export function useProviders(): ProvidersState {
  const { providers } = useTalk();
  return useSyncExternalStore(providers.subscribe, providers.get);
}
