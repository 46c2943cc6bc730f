// A conversation with the assistant: what was said, the turn under way, and following it to its end whatever the network does. What was
// said is never lost: either the server has it, or the caller gets it back.

import { type ApiError, asApiError, invalid } from "../api/problem";
import type { AppliedPlan, EditorSnapshot, Envelope, Scope } from "../generated/api";
import { createStore, type Store } from "../state/store";
import type { AgentApi, Choice, Place, Saying, ToolAnswer } from "./agent-api";
import { isUnderWay, type ToolRequest, type TurnEvent, type TurnOutcome } from "./events";
import { fromMessages } from "./stored-messages";
import {
  addMessage,
  EMPTY_TRANSCRIPT,
  type Picture,
  processEvent,
  removeUnsent,
  type Transcript,
  type Turn,
} from "./transcript";
import { placeAfter, type Source, untilSilent, withFirst } from "./turn-stream";

export interface ChatState {
  conversationId: string | null;
  transcript: Transcript;
  /** Whether a stored conversation is being read. */
  restoring: boolean;
  /** Whether the turn under way can be heard. */
  link: "idle" | "live" | "lost";
  /** Why the last thing that was tried here did not work. */
  problem?: ApiError;
  outcomes: Readonly<Record<string, TurnOutcome>>;
  /** The plans that were accepted, by their turn. */
  applied: Readonly<Record<string, AppliedPlan>>;
}

/** The site, while this tab shows it: tools of the editor run in its copy. */
export interface OpenSite {
  snapshot(): EditorSnapshot;
  /** Ends when everything that was done here is with the server. */
  settle(): Promise<void>;
  run(request: ToolRequest): Promise<Omit<ToolAnswer, "bridgeId" | "requestId">>;
}

export interface ChatOptions {
  api: AgentApi;
  scope: Scope;
  /** Whom to ask in a conversation that begins now. */
  choice(): Choice | null;
  /** A conversation that was restored uses this. */
  onChoice(choice: Choice | null): void;
  site(): OpenSite | undefined;
  /** Remembers the conversation over a reload. */
  memory: { read(): string | null; write(id: string | null): void };
  now(): number;
  /** Ends after the time, or sooner when the network is back or the signal says so. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export interface NewMessage {
  text: string;
  images: readonly Picture[];
  mode: "edit" | "plan";
}

export interface Chat extends Pick<Store<ChatState>, "get" | "subscribe"> {
  /** Answers whether the server has it. */
  send(message: NewMessage): Promise<boolean>;
  stop(): Promise<void>;
  /** Goes on with the last turn, which was interrupted. */
  goOn(): Promise<void>;
  /** Reads the conversation of before, with the turn that may be under way. */
  resume(): Promise<void>;
  restore(id: string): Promise<void>;
  /** The next thing that is said begins another conversation. */
  leave(): void;
  /** Removes the conversation. */
  clear(): Promise<void>;
  dismissProblem(): void;
  /** Says why nothing was sent. */
  refuse(reason: string): void;
  /** The site was closed in this tab: the server runs the tools from here on. */
  detachSite(): void;
  /** Finds out how a turn that is over ended. */
  lookUp(turnId: string): Promise<void>;
  /** Accepts steps of a plan; a refusal is in the answer. */
  accept(turnId: string, steps: readonly number[]): Promise<Envelope>;
}

const RETRY_FIRST_MS = 500;
const RETRY_LAST_MS = 15_000;
const ANSWER_TRIES = 5;

export function createChat({ api, scope, choice, onChoice, site, memory, now, pause }: ChatOptions): Chat {
  const nothing: ChatState = {
    conversationId: null,
    transcript: EMPTY_TRANSCRIPT,
    restoring: false,
    link: "idle",
    outcomes: {},
    applied: {},
  };
  const store = createStore<ChatState>(nothing);
  const update = (part: Partial<ChatState>) => store.set({ ...store.get(), ...part });
  const newest = () => store.get().transcript.turns.at(-1);
  const isBusy = () => {
    const turn = newest();
    return turn !== undefined && isUnderWay(turn.status);
  };
  /** Stops following the current turn, which itself goes on. */
  let follower = new AbortController();
  /** A stop that was wanted before the turn had a name. */
  let stopWanted = false;
  let detachSite: () => void = () => undefined;

  function applyEvent(event: TurnEvent): void {
    update({ transcript: processEvent(store.get().transcript, event, now()), link: "live" });
  }

  /** Follows the newest turn to its end, and then the ones that result from it. Calls `onNamed` once the server has given it an id. */
  async function streamTurn(first: Source, onNamed: () => void = () => undefined): Promise<void> {
    const { signal } = follower;
    let place: Place = {};
    let turnId = newest()?.id ?? "";
    let source = first;
    let hasGap = false;
    for (let failures = 0; ; ) {
      const connection = new AbortController();
      detachSite = () => {
        if (place.bridgeId === undefined) return;
        place = { ...place, bridgeId: undefined };
        connection.abort();
      };
      try {
        for await (const event of untilSilent(source, AbortSignal.any([signal, connection.signal]))) {
          failures = 0;
          place = placeAfter(place, event);
          applyEvent(event);
          if (turnId === "") turnId = newest()?.id ?? "";
          hasGap ||= event.type === "state";
          if (event.type === "bridgeReady" || event.type === "state") onNamed();
          if (event.type === "bridgeReady" && stopWanted) void stop();
          if (event.type === "toolRequest" && place.bridgeId !== undefined) void runTool(place.bridgeId, event);
        }
      } catch (error) {
        if (signal.aborted) return;
        const problem = asApiError(error);
        if (!problem.retryable || turnId === "" || !isBusy()) throw problem;
      }
      if (signal.aborted) return;
      const turn = newest();
      if (turn === undefined || !isUnderWay(turn.status)) break;
      if (turn.id !== turnId) {
        turnId = turn.id;
        place = {};
      } else if (!connection.signal.aborted) {
        update({ link: "lost" });
        await pause(Math.min(RETRY_FIRST_MS * 2 ** Math.min(failures++, 10), RETRY_LAST_MS), signal);
        if (signal.aborted) return;
      }
      source = (until) => api.follow(turnId, place, until);
    }
    stopWanted = false;
    detachSite = () => undefined;
    update({ link: "idle" });
    if (hasGap && newest()?.status !== "failed") await readStored(turnId);
    await lookUp(turnId);
  }

  /**
   * Shows the conversation as it is stored. A state says what was said and called and not what each call changed, so a turn that was
   * not followed from its beginning without a gap would end without the card of its changes.
   */
  async function readStored(turnId: string): Promise<void> {
    const { signal } = follower;
    const { conversationId } = store.get();
    if (conversationId === null) return;
    const stored = await api.conversation(conversationId).catch(() => undefined);
    const { conversation, messages, lastTurn } = stored ?? {};
    if (conversation === undefined || messages === undefined || signal.aborted || isBusy()) return;
    if (lastTurn?.id !== turnId || isUnderWay(lastTurn.state)) return;
    update({ transcript: fromMessages(messages, lastTurn, conversation.contextTokens ?? null) });
  }

  /** Runs a tool in the copy of this tab. */
  async function runTool(bridgeId: string, request: ToolRequest): Promise<void> {
    const { signal } = follower;
    const open = site();
    if (open === undefined) return detachSite();
    const answer = await open
      .run(request)
      .catch((error: unknown) => ({ result: { ok: false, error: asApiError(error).message } }));
    for (let tries = 0; tries < ANSWER_TRIES && !signal.aborted; tries++) {
      try {
        return await api.answer({ bridgeId, requestId: request.requestId, ...answer });
      } catch (error) {
        // Nobody waits for it any more, or it is not acceptable; the server goes on without it.
        if (!asApiError(error).retryable) return;
        await pause(RETRY_FIRST_MS * 2 ** tries, signal);
      }
    }
  }

  async function send({ text, images, mode }: NewMessage): Promise<boolean> {
    update({ problem: undefined });
    const open = site();
    try {
      await open?.settle();
      const conversationId = store.get().conversationId ?? (await begin());
      const saying: Saying = { conversationId, prompt: text, images, mode, snapshot: open?.snapshot() };
      return isBusy() ? await sendDuringTurn(saying) : await sendNow(saying);
    } catch (error) {
      update({ problem: asApiError(error) });
      return false;
    }
  }

  async function begin(): Promise<string> {
    const begun = await api.begin(scope, choice());
    update({ conversationId: begun.id });
    memory.write(begun.id);
    return begun.id;
  }

  function sendNow(saying: Saying, source: Source = (until) => api.say(scope, saying, until)): Promise<boolean> {
    const known = new Set(store.get().transcript.turns.map(({ id }) => id));
    update({ transcript: addMessage(store.get().transcript, saying.prompt, saying.images, now()), link: "live" });
    return new Promise((resolve) => {
      streamTurn(source, () => resolve(true)).catch((error: unknown) => {
        void recoverRequest(saying.conversationId, known, asApiError(error)).then(resolve);
      });
    });
  }

  /** The request failed before an answer came. Looks whether the server received it all the same. */
  async function recoverRequest(
    conversationId: string,
    known: ReadonlySet<string>,
    problem: ApiError,
  ): Promise<boolean> {
    const turn = newest();
    if (problem.retryable && turn?.id === "") {
      const now = await api.conversation(conversationId).catch(() => undefined);
      const last = now?.lastTurn?.id;
      if (last !== undefined && !known.has(last)) {
        await restore(conversationId);
        return true;
      }
    }
    update({ transcript: removeUnsent(store.get().transcript), link: "idle", problem });
    return turn?.id !== "";
  }

  /** Adds to the turn that is running; starts another one if it has just ended. */
  async function sendDuringTurn(saying: Saying): Promise<boolean> {
    const events = api.say(scope, saying, follower.signal);
    const { value: first } = await events.next();
    if (first === undefined || first.type !== "bridgeReady") {
      await events.return(undefined);
      return true;
    }
    return await sendNow(saying, () => withFirst(first, events));
  }

  async function stop(): Promise<void> {
    const turn = newest();
    if (turn === undefined || !isUnderWay(turn.status)) return;
    stopWanted = turn.id === "";
    if (stopWanted) return;
    await api.abort(turn.id).catch((error: unknown) => update({ problem: asApiError(error) }));
  }

  /** Replaces what is shown by another conversation and stops following the current turn. */
  function showConversation(part: Partial<ChatState>): void {
    follower.abort();
    follower = new AbortController();
    stopWanted = false;
    store.set({ ...nothing, ...part });
  }

  async function restore(id: string): Promise<void> {
    showConversation({ conversationId: id, restoring: true });
    const { signal } = follower;
    try {
      const { conversation, messages, lastTurn } = await api.conversation(id);
      if (signal.aborted) return;
      memory.write(id);
      const { credentialId, modelId } = conversation;
      onChoice(modelId ? { credentialId: credentialId ?? null, modelId } : null);
      const transcript = fromMessages(messages, lastTurn ?? undefined, conversation.contextTokens ?? null);
      update({ transcript, restoring: false });
      const last = newest();
      if (last !== undefined && isUnderWay(last.status)) void follow(last);
    } catch (error) {
      if (signal.aborted) return;
      const problem = asApiError(error);
      // A conversation that is gone is no reason to complain.
      if (problem.status === 404) memory.write(null);
      showConversation(problem.status === 404 ? {} : { conversationId: id, problem });
    }
  }

  async function follow({ id }: Turn): Promise<void> {
    await streamTurn((until) => api.follow(id, {}, until)).catch((error: unknown) =>
      update({ link: "idle", problem: asApiError(error) }),
    );
  }

  async function lookUp(turnId: string): Promise<void> {
    if (turnId === "" || store.get().outcomes[turnId] !== undefined) return;
    const found = await api.turn(turnId).catch(() => undefined);
    const { outcome, appliedPlan } = found ?? {};
    if (!outcome) return;
    update({ outcomes: { ...store.get().outcomes, [turnId]: outcome } });
    if (appliedPlan) noteApplied(turnId, appliedPlan);
  }

  function noteApplied(turnId: string, plan: AppliedPlan): void {
    update({ applied: { ...store.get().applied, [turnId]: plan } });
  }

  async function accept(turnId: string, steps: readonly number[]): Promise<Envelope> {
    const answer = await api.accept(turnId, steps);
    if (answer.ok) noteApplied(turnId, { accept: [...steps], receipt: answer.receipt ?? {} });
    return answer;
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    send,
    stop,
    restore,
    lookUp,
    accept,
    async goOn() {
      const { conversationId } = store.get();
      const turn = newest();
      if (conversationId === null || turn?.status !== "interrupted") return;
      update({ problem: undefined });
      await streamTurn((until) => api.goOn(scope, conversationId, turn.id, until)).catch((error: unknown) =>
        update({ link: "idle", problem: asApiError(error) }),
      );
    },
    async resume() {
      const id = memory.read();
      if (id !== null && store.get().conversationId === null) await restore(id);
    },
    leave() {
      showConversation({});
      memory.write(null);
    },
    async clear() {
      const { conversationId } = store.get();
      if (conversationId !== null) await api.remove(conversationId);
      showConversation({});
      memory.write(null);
    },
    dismissProblem: () => update({ problem: undefined }),
    refuse: (reason) => update({ problem: invalid("prompt", reason) }),
    detachSite: () => detachSite(),
  };
}
