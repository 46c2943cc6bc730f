// The assistant, as components see it.
import { useSyncExternalStore } from "react";
import type { PanelState } from "../agent/agent";
import type { ChatState } from "../agent/chat";
import type { ProvidersState } from "../agent/providers";
import { agent } from "../app-state";

export const usePanel = (): PanelState => useSyncExternalStore(agent.subscribe, agent.get);
export const useChat = (): ChatState => useSyncExternalStore(agent.chat.subscribe, agent.chat.get);
export const useProviders = (): ProvidersState => useSyncExternalStore(agent.providers.subscribe, agent.providers.get);
