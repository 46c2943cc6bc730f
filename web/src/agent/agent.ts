// The assistant of this tab: one conversation, whom it asks, and what a person has begun to write. It outlives the pages.
import type { Scope } from "../generated/api";
import { words } from "../glossary";
import { createStore, type Store } from "../state/store";
import type { AgentApi, Choice } from "./agent-api";
import { type Chat, createChat, type OpenSite } from "./chat";
import { createProviders, isOffline, lockReason, type Providers, type ProvidersApi } from "./providers";
import type { Picture } from "./transcript";

export interface PanelState {
  isOpen: boolean;
  /** In pixels. */
  width: number;
  draft: string;
  images: readonly Picture[];
  isPlanning: boolean;
  /** The element that was selected stays out of the next message. */
  withoutSelection: boolean;
}

export interface Agent extends Pick<Store<PanelState>, "get" | "subscribe"> {
  chat: Chat;
  providers: Providers;
  set(part: Partial<PanelState>): void;
  toggle(): void;
  /** Tools run in this site until the answer is called. */
  openSite(site: OpenSite): () => void;
  /** Sends what is written. It stays in the composer until the server has it. */
  send(): Promise<void>;
  say(text: string): Promise<void>;
  /** Asks somebody else from here on. */
  choose(choice: Choice): Promise<void>;
  newChat(): void;
}

export interface AgentOptions {
  api: AgentApi;
  providersApi: ProvidersApi;
  scope: Scope;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const WIDTH = { least: 320, usual: 368, most: 720 };
export const IMAGES_MAX = 8;

const KEY = "sitewright.agent";

export function createAgent({ api, providersApi, scope, storage, pause }: AgentOptions): Agent {
  const kept = read(storage);
  const store = createStore<PanelState>({
    isOpen: kept.isOpen === true,
    width: clampWidth(kept.width),
    draft: kept.draft ?? "",
    images: [],
    isPlanning: false,
    withoutSelection: false,
  });
  let conversation = kept.conversation ?? null;
  let usesBuiltIn = kept.usesBuiltIn === true;
  let site: OpenSite | undefined;
  const keep = () => {
    const { isOpen, width, draft } = store.get();
    try {
      storage.setItem(KEY, JSON.stringify({ isOpen, width, draft, conversation, usesBuiltIn }));
    } catch {
      // Without storage all of it lasts until the page is left.
    }
  };
  const set = (part: Partial<PanelState>) => {
    store.set({ ...store.get(), ...part });
    keep();
  };
  const providers = createProviders(providersApi, scope, () => usesBuiltIn);
  const chat = createChat({
    api,
    scope,
    choice: () => providers.get().choice,
    onChoice: (choice) => providers.adopt(choice),
    site() {
      const open = site;
      if (open === undefined || !store.get().withoutSelection) return open;
      return { ...open, snapshot: () => ({ ...open.snapshot(), selectedNodeId: null }) };
    },
    memory: {
      read: () => conversation,
      write(id) {
        conversation = id;
        keep();
      },
    },
    now: () => Date.now(),
    pause,
  });

  /** Answers whether the server has it. */
  async function send(text: string, images: readonly Picture[]): Promise<boolean> {
    if (providers.get().credentials === undefined) await providers.refresh().catch(() => undefined);
    if (lockReason(providers.get()) !== null) {
      chat.refuse(words.agent.noProvider);
      return false;
    }
    providers.noted();
    return await chat.send({ text, images, mode: store.get().isPlanning ? "plan" : "edit" });
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    chat,
    providers,
    set,
    toggle: () => set({ isOpen: !store.get().isOpen }),
    openSite(open) {
      site = open;
      return () => {
        if (site !== open) return;
        site = undefined;
        chat.detachSite();
      };
    },
    async send() {
      const { draft, images } = store.get();
      const text = draft.trim();
      if (text === "" && images.length === 0) return;
      set({ draft: "", images: [] });
      const isHeard = await send(text, images);
      // What was written meanwhile is not thrown away for it.
      if (!isHeard) set({ draft: [text, store.get().draft].filter((part) => part !== "").join("\n"), images });
      else set({ withoutSelection: false });
    },
    async say(text) {
      await send(text, []);
    },
    async choose(choice) {
      providers.pick(choice);
      usesBuiltIn = isOffline(choice);
      keep();
      chat.dismissProblem();
      const { conversationId } = chat.get();
      if (conversationId !== null) await api.choose(conversationId, choice);
    },
    newChat: () => chat.leave(),
  };
}

export function clampWidth(width: unknown): number {
  const number = typeof width === "number" && Number.isFinite(width) ? width : WIDTH.usual;
  return Math.min(Math.max(Math.round(number), WIDTH.least), WIDTH.most);
}

interface Kept {
  isOpen?: boolean;
  width?: number;
  draft?: string;
  conversation?: string | null;
  usesBuiltIn?: boolean;
}

function read(storage: Pick<Storage, "getItem">): Kept {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
}
