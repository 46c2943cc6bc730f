// Keeps the copy of the site in step with the server. What is done here shows at once, is kept in the outbox, sent one after the
// other in order, and forgotten when the log has it. The log of the server is the order; the core brings both together.
import { ApiError, asApiError } from "../api/problem";
import type { DocumentDamage, Reverted } from "../generated/api";
import type { FrameQuery, FrameReport } from "../generated/site";
import { words } from "../glossary";
import { createStore, type Store } from "../state/store";
import type { Core } from "./core-loader";
import {
  type Author,
  type Change,
  type Entity,
  type Expect,
  FORMAT,
  type Logged,
  newChangeId,
  type Op,
  opEntity,
  sameEntity,
  type TextPlace,
  textEntity,
} from "./model";
import { type World, withNeeds } from "./needs";
import type { Expected, Outbox, Outgoing } from "./outbox";
import { newRevertId, type RevertTarget } from "./revert-id";
import type { SiteApi } from "./site-api";
import {
  CoreError,
  closedBodies,
  openCopy,
  type Rendered,
  type SiteCopy,
  type ToolCall,
  type ToolRun,
} from "./site-copy";
import { createUndoStack, type UndoMemory } from "./undo-stack";

/** Something that a person did and that did not come to be. */
export interface SyncProblem {
  id: string;
  message: string;
  /** The text that was written, where it was one: it is theirs and must not be lost. */
  text?: { place: TextPlace; mine: string };
  /** Whether somebody else's text stands there now. */
  conflict: boolean;
}

export interface SyncState {
  phase: "loading" | "failed" | "ready";
  error?: ApiError;
  /** Whether the server can be heard: not yet, now, or not any more. */
  link: "opening" | "live" | "lost";
  /** How many changes are not in the log yet. */
  waiting: number;
  problems: readonly SyncProblem[];
  /** The history cannot be read to its end, so the site is shown as it was before, and nobody can change it. */
  damage?: DocumentDamage;
  /** The shell is older than the server; nothing is sent any more. */
  outdated: boolean;
  canUndo: boolean;
  canRedo: boolean;
  /** How often something was taken back here. */
  reverts: number;
}

export interface SyncOptions {
  api: SiteApi;
  loadCore(): Promise<Core>;
  outbox: Outbox;
  undoMemory: UndoMemory;
  author: Author & { kind: "person" };
  /** Looks at a rendered document for a tool. */
  lookAt(query: FrameQuery): Promise<FrameReport>;
  /** Ends after the time, or sooner when the network is back or the signal says so. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a change is called, and what its maker looks at. */
export interface About {
  summary: string;
  view?: ToolCall["view"];
}

export interface Sync extends Pick<Store<SyncState>, "get" | "subscribe"> {
  start(): Promise<void>;
  stop(): void;
  copy(): SiteCopy;
  /** Told what looks different; nothing named means everything. */
  onTouched(listener: (touched: readonly Entity[] | undefined) => void): () => void;
  /** Told of entries of the log that were not made here. */
  onEntry(listener: (entry: Logged) => void): () => void;
  render(page: string): Promise<Rendered>;
  /** A page as it would be after some steps, which are not done. */
  renderWith(page: string, ops: readonly Op[]): Promise<Rendered>;
  /** Runs a tool here without doing anything: for those who hand its steps to somebody else. */
  plan(tool: string, call: Omit<ToolCall, "facts">): Promise<ToolRun>;
  /** Does something with a tool of the site, as one change of the person; a refusal is thrown in the tool's words. */
  run(tool: string, input: unknown, about: About): Promise<ToolRun>;
  /** Does plain steps, as one change of the person. */
  act(summary: string, ops: Op[]): void;
  /** What an edit of this text that begins now relies on. */
  textBase(place: TextPlace): Expected;
  /** Changes a text, and tells what the next edit of it relies on. */
  putText(place: TextPlace, text: string, base: Expected): Expected;
  undo(): Promise<void>;
  redo(): Promise<void>;
  /** Takes changes back for the person, who can undo it like any other change. */
  revert(target: RevertTarget): Promise<Reverted>;
  dismiss(problem: string): void;
  /** Tells of a text that could not be handed over, such as one whose place is gone. */
  report(problem: Omit<SyncProblem, "id">): void;
}

const RETRY_FIRST_MS = 500;
const RETRY_LAST_MS = 15_000;
/** The one notice about undoing: the next attempt takes its place. */
const UNDO_PROBLEM = "undo";
/** A server that ends streams at once must not be asked without a breath. */
const BETWEEN_STREAMS_MS = 100;

export function createSync({ api, loadCore, outbox, undoMemory, author, lookAt, pause }: SyncOptions): Sync {
  const store = createStore<SyncState>({
    phase: "loading",
    link: "opening",
    waiting: 0,
    problems: [],
    outdated: false,
    canUndo: false,
    canRedo: false,
    reverts: 0,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const listeners = new Set<(touched: readonly Entity[] | undefined) => void>();
  const others = new Set<(entry: Logged) => void>();
  let current: SiteCopy | undefined;
  let queue: Outgoing[] = [];
  /** Where changes that the stream has not brought yet are in the log. */
  const accepted = new Map<string, number>();
  const steps = createUndoStack(undoMemory);
  /** The reverts of this tab, which the stream brings like changes of others. */
  const reverts = new Set<string>();
  /** Ends when the last undo or redo is done; keys come faster than answers. */
  let reverting: Promise<void> = Promise.resolve();
  let sending = false;

  const update = (part: Partial<SyncState> = {}) =>
    store.set({
      ...store.get(),
      ...part,
      waiting: queue.length,
      canUndo: steps.nextUndo() !== undefined && queue.length === 0,
      canRedo: steps.nextRedo() !== undefined && queue.length === 0,
    });
  const tell = (touched?: readonly Entity[]) => {
    for (const listener of [...listeners]) listener(touched);
  };
  const copy = () => {
    if (current === undefined) throw new Error("the site is not loaded yet");
    return current;
  };

  async function openBody(site: SiteCopy, id: string): Promise<void> {
    const { body, seq } = await api.body(id);
    if (!site.isOpen(id)) site.open(id, body, seq);
  }

  const world: World = {
    copy,
    openBody,
    async openOwner(site, node) {
      const owner = await api.owner(node).catch((error: unknown) => {
        if (asApiError(error).code === "not_found") return undefined;
        throw error;
      });
      if (owner !== undefined && !site.isOpen(owner.id)) site.open(owner.id, owner.body, owner.seq);
      return owner !== undefined;
    },
    async installFont(query) {
      try {
        return { type: "installed", ...(await api.installFont(query)) };
      } catch (error) {
        return { type: "refused", reason: asApiError(error).message.replace(/\.$/, "") };
      }
    },
    rows: (query) => api.rows(query).catch(() => undefined),
    address: (target) => api.address(target).catch(() => null),
    lookAt,
  };

  async function plan(tool: string, call: Omit<ToolCall, "facts">): Promise<ToolRun> {
    const { done } = await withNeeds(world, (site, facts) => site.runTool(tool, { ...call, facts }));
    return done;
  }

  /** Makes the copy anew from the server's documents, with what is not confirmed on top. */
  async function load(): Promise<void> {
    const [core, { shell, seq, damage }] = await Promise.all([loadCore(), api.shell()]);
    update({ damage: damage ?? undefined });
    const fresh = openCopy(core, shell, seq);
    const changes = queue.map(({ change }) => change);
    for (const body of closedBodies(fresh, changes)) {
      await openBody(fresh, body).catch((error: unknown) => {
        // The document is gone; the server will say what that means for the change.
        if (asApiError(error).code !== "not_found") throw error;
      });
    }
    for (const { change } of queue) fresh.act(change);
    current?.free();
    current = fresh;
    fresh.subscribe(tell);
    update({ phase: "ready", error: undefined });
    tell();
  }

  async function start(): Promise<void> {
    update({ phase: "loading", error: undefined });
    try {
      // Without storage, what is done is only as safe as the tab.
      queue = await outbox.load().catch(() => []);
      await load();
    } catch (error) {
      if (!signal.aborted) update({ phase: "failed", error: asApiError(error) });
      return;
    }
    void follow();
    void send();
  }

  /** Hears what happens, for as long as somebody looks. */
  async function follow(): Promise<void> {
    let failures = 0;
    // Apart from failures: a server can be heard well and still tell what does not fit.
    let strays = 0;
    while (!signal.aborted) {
      try {
        const onOpen = () => {
          failures = 0;
          update({ link: "live" });
        };
        for await (const entry of api.follow(copy().seq(), { signal, onOpen })) {
          take(entry);
          strays = 0;
        }
        await pause(BETWEEN_STREAMS_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isAstray(error)) {
          await load().catch(() => update({ link: "lost" }));
          await pause(retryAfter(strays++), signal);
        } else {
          update({ link: "lost" });
          await pause(retryAfter(failures++), signal);
        }
      }
    }
  }

  function take(entry: Logged): void {
    if (signal.aborted) return;
    copy().receive(entry);
    const ours = queue.find(({ change }) => change.id === entry.id);
    if (ours === undefined) {
      takeForeign(entry);
      return;
    }
    leave(entry.id, entry.seq);
    void send();
  }

  function takeForeign(entry: Logged): void {
    if (reverts.has(entry.id)) return;
    if (entry.author.kind === "agent" && entry.author.id === author.id) {
      steps.record(entry);
      update();
    }
    for (const listener of [...others]) listener(entry);
  }

  /** A change is in the log: what waited for it relies on its place there. */
  function place(id: string, seq: number): void {
    queue = queue.map((outgoing) => {
      if (!outgoing.expects.some((expected) => "after" in expected && expected.after === id)) return outgoing;
      const expects = outgoing.expects.map((expected) =>
        "after" in expected && expected.after === id ? { entity: expected.entity, rev: seq } : expected,
      );
      const placed = { ...outgoing, expects };
      keep(placed);
      return placed;
    });
  }

  function leave(id: string, seq: number): void {
    place(id, seq);
    accepted.delete(id);
    steps.record({ id });
    queue = queue.filter(({ change }) => change.id !== id);
    forget(id);
    update();
  }

  /** Sends what was not accepted yet, the oldest first, one at a time. */
  async function send(): Promise<void> {
    if (sending) return;
    sending = true;
    let failures = 0;
    while (!signal.aborted && !store.get().outdated) {
      const next = queue.find(({ change }) => !accepted.has(change.id));
      if (next === undefined) break;
      try {
        const answer = await api.send(next.change, next.expects.map(known));
        failures = 0;
        if (signal.aborted) break;
        // Only sending may have failed before, while the stream went on.
        update({ link: "live" });
        accept(next, answer.seq);
        const [first] = answer.leftOut;
        if (first !== undefined) reportProblem(next, words.site.leftOut(first.reason), false);
      } catch (error) {
        if (signal.aborted) break;
        const problem = asApiError(error);
        if (problem.code === "reload_required") update({ outdated: true });
        else if (isPassing(problem)) {
          update({ link: "lost" });
          await pause(retryAfter(failures++), signal);
        } else refuse(next, problem);
      }
    }
    sending = false;
  }

  function accept({ change: { id } }: Outgoing, seq: number): void {
    // The stream may have been faster.
    if (!queue.some(({ change }) => change.id === id)) return;
    if (seq <= copy().seq()) {
      // It was in the documents already, so that the stream will not bring it.
      copy().dropPending(id);
      leave(id, seq);
      return;
    }
    accepted.set(id, seq);
    place(id, seq);
  }

  /** Takes back a change that the server refused, with those that were made on top of it. */
  function refuse(refused: Outgoing, problem: ApiError): void {
    const gone = [refused];
    for (const outgoing of queue) {
      const rests = ({ change }: Outgoing) =>
        outgoing.expects.some((expected) => "after" in expected && expected.after === change.id);
      if (gone.some(rests)) gone.push(outgoing);
    }
    queue = queue.filter((outgoing) => !gone.includes(outgoing));
    for (const { change } of gone) {
      copy().dropPending(change.id);
      forget(change.id);
    }
    const last = gone.at(-1) ?? refused;
    const conflict = problem.code === "conflict" && textOf(last.change) !== undefined;
    reportProblem(last, conflict ? words.site.conflict : words.site.refused(problem.message), conflict);
  }

  function reportProblem({ change }: Outgoing, message: string, conflict: boolean): void {
    addProblem({ id: change.id, message, text: textOf(change), conflict });
  }

  function addProblem(one: SyncProblem): void {
    update({ problems: [...store.get().problems.filter(({ id }) => id !== one.id), one] });
  }

  function dismiss(problem: string): void {
    update({ problems: store.get().problems.filter(({ id }) => id !== problem) });
  }

  function act(change: Change, expects: Expected[]): void {
    const outgoing = { change, expects };
    queue = [...queue, outgoing];
    copy().act(change);
    keep(outgoing);
    update();
    void send();
  }

  // A browser that keeps nothing still edits; only a reload would lose what is on its way.
  function keep(outgoing: Outgoing): void {
    outbox.keep(outgoing).catch(() => undefined);
  }

  function forget(id: string): void {
    outbox.forget(id).catch(() => undefined);
  }

  async function revert(target: RevertTarget): Promise<Reverted> {
    const id = newRevertId(target);
    // Before the answer: the stream may be faster.
    reverts.add(id);
    const answer = await api.revert(id, target);
    steps.record({ id });
    update({ reverts: store.get().reverts + 1 });
    return answer;
  }

  /** Takes back what Undo or Redo is about, and says so where that is not possible. */
  async function takeBack(way: "undo" | "redo"): Promise<void> {
    const step = way === "undo" ? steps.nextUndo() : steps.nextRedo();
    if (step === undefined || queue.length > 0) return;
    try {
      const { left } = await revert("turn" in step ? { turn: step.turn } : { change: step.change });
      dismiss(UNDO_PROBLEM);
      if (left.length > 0) addProblem({ id: UNDO_PROBLEM, message: words.site.undoneInPart, conflict: false });
    } catch (error) {
      const problem = asApiError(error);
      if (!isPassing(problem)) steps.drop(step);
      addProblem({ id: UNDO_PROBLEM, message: words.site.notUndone(problem.message), conflict: false });
    }
  }

  function inTurn(way: "undo" | "redo"): Promise<void> {
    reverting = reverting.then(() => takeBack(way));
    return reverting;
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    start,
    stop() {
      stopping.abort();
    },
    copy,
    onTouched(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEntry(listener) {
      others.add(listener);
      return () => others.delete(listener);
    },
    async render(page) {
      const { done, lists } = await withNeeds(world, (site, facts) => site.render(page, "canvas", facts));
      return lists ? { ...done, problems: [...done.problems, words.site.emptyLists] } : done;
    },
    async renderWith(page, ops) {
      const { done } = await withNeeds(world, (site, facts) => site.renderWith(page, ops, facts));
      return done;
    },
    plan,
    async run(tool, input, { summary, view }) {
      const id = newChangeId();
      const run = await plan(tool, { input, view, change: id });
      if (run.ops.length > 0) act({ id, author, summary, ops: run.ops, format: FORMAT }, []);
      return run;
    },
    act: (summary, ops) => act({ id: newChangeId(), author, summary, ops, format: FORMAT }, []),
    textBase(place) {
      const entity = textEntity(place);
      const touches = ({ change }: Outgoing) => change.ops.some((op) => isAbout(op, entity));
      const last = queue.findLast(touches)?.change.id;
      if (last === undefined) return { entity, rev: copy().rev(entity) };
      const seq = accepted.get(last);
      return seq === undefined ? { entity, after: last } : { entity, rev: seq };
    },
    putText(place, text, base) {
      const entity = textEntity(place);
      const id = newChangeId();
      const ops: Op[] = [{ op: "put", entity, field: "text", value: text }];
      act({ id, author, summary: words.site.textChange(text), ops, format: FORMAT }, [base]);
      return { entity, after: id };
    },
    undo: () => inTurn("undo"),
    redo: () => inTurn("redo"),
    revert,
    dismiss,
    report: (one) => addProblem({ ...one, id: newChangeId() }),
  };
}

/** What a change relied on and is not in the log was refused; then no entry fits, and the server says so. */
function known(expected: Expected): Expect {
  return "rev" in expected ? expected : { entity: expected.entity, rev: 0 };
}

function isAbout(op: Change["ops"][number], entity: Entity): boolean {
  const about = opEntity(op);
  return about !== undefined && sameEntity(about, entity);
}

function textOf({ ops: [op] }: Change): SyncProblem["text"] {
  if (op?.op !== "put" || !("field" in op) || op.field !== "text") return undefined;
  const entity = opEntity(op);
  return entity?.type === "node" ? { place: entity, mine: String(op.value) } : undefined;
}

/** Whether the documents must be loaded again before anything can follow. */
function isAstray(error: unknown): boolean {
  if (error instanceof CoreError) return true;
  return error instanceof ApiError && error.code === "reload_required";
}

/** Whether the same change may be taken later: nobody said no to it. */
function isPassing(problem: ApiError): boolean {
  return problem.retryable || problem.status === 429 || problem.status === 401;
}

function retryAfter(failures: number): number {
  return Math.min(RETRY_FIRST_MS * 2 ** Math.min(failures, 10), RETRY_LAST_MS);
}
