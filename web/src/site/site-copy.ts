// The copy of the site in the core, in values instead of JSON texts. Everything about documents is decided in there.

import type { SiteCore } from "../core/core.js";
import type {
  Acted,
  BodySnapshot,
  Breakpoint,
  Call,
  Change,
  Entity,
  Facts,
  Layer,
  LeftOut,
  Logged,
  Need,
  NodeView,
  Op,
  PageEntry,
  RenderedOutcome,
  Run,
  ShellSnapshot,
} from "../generated/site";
import type { Core } from "./core-loader";
import { bodiesOf } from "./model";

export type { Call as ToolCall, DoneRun as ToolRun, Rendered } from "../generated/site";

/** Why the core could not do something; `astray` means that the copy must be made anew. */
export class CoreError extends Error {
  override readonly name = "CoreError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What came of asking the core: the answer, or what it lacks for one. */
export type Outcome<T> = { done: T } | { needs: Need[] };

export interface SiteCopy {
  seq(): number;
  open(body: string, snapshot: BodySnapshot, seq: number): void;
  isOpen(body: string): boolean;
  act(change: Change): LeftOut[];
  receive(entry: Logged): void;
  dropPending(id: string): void;
  pending(): Change[];
  runTool(name: string, call: Call): Run;
  render(page: string, purpose: "canvas" | "publish", facts?: Facts): RenderedOutcome;
  renderNode(body: string, node: string, facts?: Facts): RenderedOutcome;
  /** The page on the canvas as it would be after some steps, which are not kept. */
  renderWith(page: string, ops: readonly Op[], facts?: Facts): RenderedOutcome;
  pages(): PageEntry[];
  breakpoints(): Breakpoint[];
  /** The rows in a node, or in the root of an open document. */
  layers(body: string, node?: string): Layer[];
  /** Undefined when it is gone or its document is not open. */
  node(body: string, node: string): NodeView | undefined;
  /** Undefined when the thing is gone or has no such field. */
  field(entity: Entity, field: string): unknown;
  rev(entity: Entity): number;
  /** Told what looks different after each act, entry and drop. */
  subscribe(listener: (touched: Entity[]) => void): () => void;
  free(): void;
}

export function openCopy(core: Core, shell: ShellSnapshot, seq: number): SiteCopy {
  const site = withCoreErrors(() => new core.SiteCore(JSON.stringify(shell), seq));
  const listeners = new Set<(touched: Entity[]) => void>();
  const ask = <T>(question: (site: SiteCore) => string): T => JSON.parse(withCoreErrors(() => question(site))) as T;
  const change = <T extends { touched: Entity[] }>(question: (site: SiteCore) => string): T => {
    const answer = ask<T>(question);
    if (answer.touched.length > 0) for (const listener of [...listeners]) listener(answer.touched);
    return answer;
  };
  const written = (facts?: Facts) => (facts === undefined ? undefined : JSON.stringify(facts));
  return {
    seq: () => site.seq(),
    open: (body, snapshot, at) => withCoreErrors(() => site.openBody(body, JSON.stringify(snapshot), at)),
    isOpen: (body) => site.isOpen(body),
    act: (made) => change<Acted>((core) => core.act(JSON.stringify(made))).leftOut,
    receive: (entry) => void change((core) => core.receive(JSON.stringify(entry))),
    dropPending: (id) => void change((core) => core.dropPending(id)),
    pending: () => ask((core) => core.pending()),
    runTool: (name, call) => ask((core) => core.runTool(name, JSON.stringify(call))),
    render: (page, purpose, facts) => ask((core) => core.render(page, purpose, written(facts))),
    renderNode: (body, node, facts) => ask((core) => core.renderNode(body, node, written(facts))),
    renderWith: (page, ops, facts) => ask((core) => core.renderWith(page, JSON.stringify(ops), written(facts))),
    pages: () => ask((core) => core.pages()),
    breakpoints: () => ask((core) => core.breakpoints()),
    layers: (body, node) => ask((core) => core.layers(body, node)),
    node: (body, node) => found(() => ask((core) => core.node(body, node))),
    field: (entity, field) => found(() => ask((core) => core.field(JSON.stringify(entity), field))),
    rev: (entity) => withCoreErrors(() => site.rev(JSON.stringify(entity))),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    free: () => site.free(),
  };
}

/** What is not there is undefined. */
function found<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch (error) {
    if (error instanceof CoreError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** The documents of changes that are not open. */
export function closedBodies(copy: SiteCopy, changes: readonly Change[]): string[] {
  return [...new Set(changes.flatMap(bodiesOf))].filter((body) => !copy.isOpen(body));
}

/** Turns what the core throws, which is JSON text, into a `CoreError`. */
function withCoreErrors<T>(question: () => T): T {
  try {
    return question();
  } catch (thrown) {
    if (typeof thrown !== "string") throw thrown;
    const { code, message } = JSON.parse(thrown) as { code: string; message: string };
    throw new CoreError(code, message);
  }
}
