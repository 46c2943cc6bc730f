// The assistant of this tab: a conversation in each workspace, whom it asks, and what a person has begun to write. It outlives the pages.
import { words } from "../glossary";
import { createStore, type Store } from "../state/store";
import type { AgentApi, Choice } from "./agent-api";
import { type Chat, createChat, type OpenSite } from "./chat";
import { createProviders, isOffline, lockReason, type Providers, type ProvidersApi } from "./providers";
import type { Picture, Transcript } from "./transcript";

/** Where the panel is: the site editor, or the content workspace. Both have the panel and its state in common. */
export type Workspace = "site" | "content";

export interface PanelState {
  workspace: Workspace;
  isOpen: boolean;
  /** In pixels. */
  width: number;
  draft: string;
  images: readonly Picture[];
  isPlanning: boolean;
  /** The element that was selected stays out of the next message. */
  withoutSelection: boolean;
  /** How many changes of the assistant this tab knows of. */
  changes: number;
}

/** A conversation of one workspace, and whom it asks. */
export interface Talk {
  chat: Chat;
  providers: Providers;
}

export interface Agent extends Pick<Store<PanelState>, "get" | "subscribe">, Readonly<Talk> {
  /** The conversation of a workspace; `chat` and `providers` are those of the current one. */
  of(workspace: Workspace): Talk;
  enter(workspace: Workspace): void;
  refreshProviders(): void;
  set(part: Partial<PanelState>): void;
  toggle(): void;
  /** What a workspace shows goes along with each message until the answer is called; tools of the site run in it. */
  openSite(open: OpenSite, workspace?: Workspace): () => void;
  /** Something that the assistant did was taken back. */
  noteChange(): void;
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
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const WIDTH = { least: 320, usual: 368, most: 720 };
export const IMAGES_MAX = 8;

const KEY = "sitewright.agent";

export function createAgent({ api, providersApi, storage, pause }: AgentOptions): Agent {
  const kept = read(storage);
  const store = createStore<PanelState>({
    workspace: "site",
    isOpen: kept.isOpen === true,
    width: clampWidth(kept.width),
    draft: kept.draft ?? "",
    images: [],
    isPlanning: false,
    withoutSelection: false,
    changes: 0,
  });
  const conversations = { site: kept.conversation ?? null, content: kept.contentConversation ?? null };
  const open: Partial<Record<Workspace, OpenSite>> = {};
  let usesBuiltIn = kept.usesBuiltIn === true;
  const keep = () => {
    const { isOpen, width, draft } = store.get();
    const { site: conversation, content: contentConversation } = conversations;
    try {
      storage.setItem(KEY, JSON.stringify({ isOpen, width, draft, conversation, contentConversation, usesBuiltIn }));
    } catch {
      // Without storage all of it lasts until the page is left.
    }
  };
  const set = (part: Partial<PanelState>) => {
    store.set({ ...store.get(), ...part });
    keep();
  };
  const noteChange = () => set({ changes: store.get().changes + 1 });

  function createTalk(workspace: Workspace): Talk {
    const providers = createProviders(providersApi, workspace, () => usesBuiltIn);
    const chat = createChat({
      api,
      scope: workspace,
      choice: () => providers.get().choice,
      onChoice: (choice) => providers.adopt(choice),
      site() {
        const shown = open[workspace];
        if (shown === undefined || !store.get().withoutSelection) return shown;
        return { ...shown, snapshot: () => ({ ...shown.snapshot(), selectedNodeId: null }) };
      },
      memory: {
        read: () => conversations[workspace],
        write(id) {
          conversations[workspace] = id;
          keep();
        },
      },
      now: () => Date.now(),
      pause,
    });
    let known = 0;
    chat.subscribe(() => {
      const count = changesIn(chat.get().transcript);
      if (count > known) noteChange();
      known = count;
    });
    return { chat, providers };
  }
  const talks: Record<Workspace, Talk> = { site: createTalk("site"), content: createTalk("content") };
  const current = () => talks[store.get().workspace];

  /** Answers whether the server has it. */
  async function send(text: string, images: readonly Picture[]): Promise<boolean> {
    const { workspace, isPlanning } = store.get();
    const { chat, providers } = talks[workspace];
    if (providers.get().credentials === undefined) await providers.refresh().catch(() => undefined);
    if (lockReason(providers.get()) !== null) {
      chat.refuse(words.agent.noProvider(workspace));
      return false;
    }
    providers.noted();
    // Plans are made of edits of pages.
    const mode = isPlanning && workspace === "site" ? "plan" : "edit";
    return await chat.send({ text, images, mode });
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    get chat() {
      return current().chat;
    },
    get providers() {
      return current().providers;
    },
    of: (workspace) => talks[workspace],
    enter(workspace) {
      if (store.get().workspace !== workspace) set({ workspace });
    },
    refreshProviders() {
      for (const { providers } of Object.values(talks)) {
        // Those nobody has asked for yet are read when the panel is first there.
        if (providers.get().credentials !== undefined) void providers.refresh();
      }
    },
    set,
    toggle: () => set({ isOpen: !store.get().isOpen }),
    openSite(shown, workspace = "site") {
      open[workspace] = shown;
      return () => {
        if (open[workspace] !== shown) return;
        delete open[workspace];
        talks[workspace].chat.detachSite();
      };
    },
    noteChange,
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
      const { chat, providers } = current();
      providers.pick(choice);
      usesBuiltIn = isOffline(choice);
      keep();
      chat.dismissProblem();
      const { conversationId } = chat.get();
      if (conversationId !== null) await api.choose(conversationId, choice);
    },
    newChat: () => current().chat.leave(),
  };
}

/** How many calls of a conversation have changed something. */
function changesIn({ turns }: Transcript): number {
  const items = turns.flatMap((turn) => turn.items);
  return items.filter((item) => item.kind === "call" && item.receipt !== undefined).length;
}

export function clampWidth(width: unknown): number {
  const number = typeof width === "number" && Number.isFinite(width) ? width : WIDTH.usual;
  return Math.min(Math.max(Math.round(number), WIDTH.least), WIDTH.most);
}

interface Kept {
  isOpen?: boolean;
  width?: number;
  draft?: string;
  /** Of the site editor. */
  conversation?: string | null;
  contentConversation?: string | null;
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
