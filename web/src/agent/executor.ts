// Runs tools of the editor in the copy of the site that this tab has open. It plans and never commits: the server judges what comes
// back and does it, and the change arrives here like anybody else's.

import { asApiError, unreachable } from "../api/problem";
import { readField } from "../api/read-field";
import type { DocumentType, EditorSnapshot } from "../generated/api";
import { type Change, FORMAT, type PageEntry } from "../site/model";
import { ToolRefusal } from "../site/needs";
import type { Selection } from "../site/selection";
import type { ToolRun } from "../site/site-copy";
import type { Sync } from "../site/sync";
import type { ToolAnswer } from "./agent-api";
import type { OpenSite } from "./chat";
import type { ToolRequest } from "./events";
import { toolWords } from "./tool-words";

export interface ExecutorOptions {
  sync: Sync;
  selection(): Selection;
  /** The last entry of the log that the server has. */
  latest(after: number): Promise<number>;
  /** The document that holds a node; nothing when there is none. */
  ownerOf(node: string): Promise<string | undefined>;
  /** Shows a page or template on the canvas. */
  show(document: string): void;
}

const SETTLE_MS = 15_000;
const CATCH_UP_MS = 5_000;

export function createExecutor({ sync, selection, latest, ownerOf, show }: ExecutorOptions): OpenSite {
  const pages = () => sync.copy().pages();

  function snapshot(open?: string): EditorSnapshot {
    const { page, node, breakpoint } = selection();
    const id = open ?? page;
    return {
      currentDocument: id === undefined ? null : { type: typeOf(id, pages()), id },
      selectedNodeId: open === undefined || open === page ? (node?.node ?? null) : null,
      activeBreakpointId: breakpoint ?? null,
    };
  }

  /** The copy must know what the last call did before the next one plans on it. */
  async function catchUp(): Promise<void> {
    const wanted = await latest(sync.copy().seq()).catch(() => 0);
    await until(sync, () => sync.copy().seq() >= wanted, CATCH_UP_MS);
  }

  /** What is about to change is shown: the document of the node that a tool is about comes onto the canvas. */
  async function follow({ toolName, input }: ToolRequest): Promise<string | undefined> {
    const field = toolWords(toolName)?.subject;
    const node = field && readField(input, field);
    const { page } = selection();
    if (typeof node !== "string" || (page !== undefined && sync.copy().node(page, node) !== undefined))
      return undefined;
    const owner = await ownerOf(node).catch(() => undefined);
    if (owner === undefined || owner === page || !pages().some(({ id }) => id === owner)) return undefined;
    show(owner);
    return owner;
  }

  async function run(request: ToolRequest): ReturnType<OpenSite["run"]> {
    const { toolName, input, changeId } = request;
    await catchUp();
    const shown = await follow(request);
    const { page, node, breakpoint } = selection();
    const view = { current: shown ?? page, selected: node?.node, breakpoint };
    try {
      const done = await sync.plan(toolName, { input, view, change: changeId });
      const opened = done.open?.id;
      if (opened !== undefined) show(opened);
      return {
        result: resultOf(done),
        changes: changesOf(toolName, changeId, done),
        snapshot: snapshot(opened ?? shown),
      };
    } catch (error) {
      const message = error instanceof ToolRefusal ? error.message : asApiError(error).message;
      return { result: { ok: false, error: message }, snapshot: snapshot(shown) };
    }
  }

  return {
    snapshot: () => snapshot(),
    run,
    async settle() {
      const isSaved = await until(sync, () => sync.get().waiting === 0, SETTLE_MS);
      if (!isSaved) throw unreachable(new Error("edits are still on their way"));
    },
  };
}

function resultOf({ data, receipt, images }: ToolRun): ToolAnswer["result"] {
  return { ok: true, data, receipt, ...(images.length > 0 ? { images } : {}) };
}

/** A tool makes one change, with the id that the server gave. */
function changesOf(tool: string, id: string, { ops, expects }: ToolRun): Change[] {
  if (ops.length === 0) return [];
  return [{ id, author: { kind: "local" }, summary: tool, expects, ops, format: FORMAT }];
}

function typeOf(id: string, pages: readonly PageEntry[]): DocumentType {
  return pages.find((page) => page.id === id)?.isTemplate === true ? "template" : "page";
}

/** Waits until something is so, looking whenever the site or its saving changes; says whether it came to be. */
function until(sync: Sync, isSo: () => boolean, ms: number): Promise<boolean> {
  if (isSo()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const leave of listening) leave();
      resolve(isSo());
    };
    const look = () => {
      if (isSo()) end();
    };
    const timer = setTimeout(end, ms);
    const listening = [sync.subscribe(look), sync.onTouched(look)];
  });
}
