// Whom the assistant asks: the credentials there are, the scope's default, what a person picked, and what keeps the composer locked.
import type { AiApi } from "../api/ai-api";
import type { CredentialInfo, ModelOffer, Offer, Scope } from "../generated/api";
import { createStore, type Store } from "../state/store";
import type { Choice } from "./agent-api";

/** The model that is no model: the built-in commands. */
export const OFFLINE: Choice = { credentialId: null, modelId: "offline" };

export interface ProvidersState {
  /** Absent while nobody has told yet. */
  credentials?: readonly CredentialInfo[];
  /** Who is asked; nobody until there is a default or somebody picks. */
  choice: Choice | null;
  /** Whether a person or a conversation made the choice, so that a default changes nothing. */
  isPicked: boolean;
  /** The model that became the default with the first credential, while nobody has taken note of it. */
  arrived?: Choice;
  /** The models of each credential that was asked for them. */
  offers: Readonly<Record<string, Offer | "loading" | "failed">>;
}

export type LockReason = "setup" | "chooseModel" | null;

export interface Providers extends Pick<Store<ProvidersState>, "get" | "subscribe"> {
  /** Looks again at credentials and defaults. */
  refresh(): Promise<void>;
  pick(choice: Choice | null): void;
  /** Takes over the choice of a conversation that was restored. */
  adopt(choice: Choice | null): void;
  loadModels(credentialId: string): Promise<void>;
  /** Somebody has seen what became the default. */
  noted(): void;
}

export type ProvidersApi = Pick<AiApi, "credentials" | "defaults" | "models">;

/** `usesBuiltIn` says whether a person went without a provider before. */
export function createProviders(api: ProvidersApi, scope: Scope, usesBuiltIn: () => boolean): Providers {
  const store = createStore<ProvidersState>({ choice: null, isPicked: false, offers: {} });
  const update = (part: Partial<ProvidersState>) => store.set({ ...store.get(), ...part });

  async function refresh(): Promise<void> {
    const [{ credentials }, { defaults }] = await Promise.all([api.credentials(), api.defaults()]);
    const before = store.get();
    const found = defaults.find((one) => one.scope === scope);
    const nobody = credentials.length === 0 && usesBuiltIn() ? OFFLINE : null;
    const preset: Choice | null = found ? { credentialId: found.credentialId, modelId: found.modelId } : nobody;
    const isFirst =
      before.credentials?.length === 0 && credentials.length > 0 && found !== undefined && preset !== null;
    if (isFirst) update({ credentials, choice: preset, isPicked: false, arrived: preset });
    else if (!before.isPicked) update({ credentials, choice: preset });
    else update({ credentials });
    const { choice } = store.get();
    if (choice?.credentialId) await loadModels(choice.credentialId);
  }

  async function loadModels(id: string): Promise<void> {
    const { credentials, offers } = store.get();
    const credential = credentials?.find((one) => one.id === id);
    if (credential === undefined || (offers[id] !== undefined && offers[id] !== "failed")) return;
    update({ offers: { ...offers, [id]: "loading" } });
    const offer = await api.models(credential.providerId, id).catch(() => "failed" as const);
    update({ offers: { ...store.get().offers, [id]: offer } });
  }

  function choose(choice: Choice | null, isPicked: boolean): void {
    update({ choice, isPicked });
    if (choice?.credentialId) void loadModels(choice.credentialId);
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    refresh,
    loadModels,
    pick: (choice) => choose(choice, choice !== null),
    adopt: (choice) => choose(choice, choice !== null),
    noted: () => update({ arrived: undefined }),
  };
}

/** What keeps somebody from saying something. Nothing is locked while credentials load, so that no prompt flashes. */
export function lockReason({ credentials, choice }: ProvidersState): LockReason {
  if (credentials === undefined || isUsable(choice, credentials)) return null;
  return credentials.length === 0 ? "setup" : "chooseModel";
}

function isUsable(choice: Choice | null, credentials: readonly CredentialInfo[]): boolean {
  if (choice === null) return false;
  if (choice.credentialId === null) return choice.modelId === OFFLINE.modelId;
  return credentials.some(({ id }) => id === choice.credentialId);
}

export function isOffline(choice: Choice | null): boolean {
  return choice !== null && choice.credentialId === null;
}

/** The model that is asked, as far as its provider's list tells. */
export function modelOf({ choice, offers }: ProvidersState): ModelOffer | undefined {
  const offer = choice?.credentialId ? offers[choice.credentialId] : undefined;
  if (offer === undefined || typeof offer === "string") return undefined;
  return offer.models.find(({ id }) => id === choice?.modelId);
}
