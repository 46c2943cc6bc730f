// Puts HTML on the page by the site's own tool, as one change that can be undone, and shows what came of it.
import { readField } from "../../../api/read-field";
import type { Board } from "../../../canvas/board";
import type { Receipt } from "../../../generated/site";
import { words } from "../../../glossary";
import { revealSelected, select, selection } from "../../../site/selection";
import type { Sync } from "../../../site/sync";
import type { Target } from "../layers/drop";
import { defaultTarget, type InsertKind, positionOf, rootOf } from "./insert-point";
import { insertState } from "./insert-state";

export interface InsertHost {
  sync: Sync;
  board: Board;
  page: string;
}

export interface NewHtml {
  html: string;
  summary: string;
  /** What braces in it mean; bindings when left out, as for the tool. */
  braces?: "bindings" | "literal";
  /** What becomes of an h1 where the page has one; it stays when left out, as for the tool. */
  headings?: "asWritten" | "oneMain";
  /** What else to tell, besides what the tool left out. */
  note?: string;
}

/** Inserts it, selects it and brings it into view. A refusal is thrown in the tool's words. */
export async function insertHtml({ sync, board, page }: InsertHost, target: Target, made: NewHtml): Promise<void> {
  const { html, summary, braces = "bindings", headings = "asWritten", note } = made;
  const input = { ...positionOf(sync.copy(), page, target), html, braces, headings };
  const { data, receipt } = await sync.run("insertHtml", input, { summary, view: { current: page } });
  const told = [note, leftOut(receipt)].filter((text) => text !== undefined);
  if (told.length > 0) sync.report({ message: told.join(" "), conflict: false });
  await board.settled();
  const ids: unknown = readField(data, "nodeIds");
  const all = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  const first = all.find((id) => /^(element|component|loop)$/.test(sync.copy().node(page, id)?.kind ?? "")) ?? all[0];
  if (first === undefined || selection.get().page !== page) return;
  select({ body: page, node: first });
  revealSelected();
}

/** Where something goes now: where somebody pointed, else where it fits for what is selected. */
export function currentTarget(
  { sync, page }: Omit<InsertHost, "board">,
  kind: InsertKind,
  tag?: string,
): Target | undefined {
  const copy = sync.copy();
  if (!copy.isOpen(page)) return undefined;
  const { point } = insertState.get();
  if (point !== undefined && tag === undefined) return point;
  const { node } = selection.get();
  const root = rootOf(copy, page);
  return root === undefined
    ? undefined
    : defaultTarget(copy, page, root, node?.body === page ? node.node : undefined, kind, tag);
}

/** What the tool took out, in a sentence; nothing when it took out nothing. */
export function leftOut({ sanitised = [] }: Receipt): string | undefined {
  const { removed } = words.insert;
  const named = sanitised.map(({ what }) => {
    if (what === "script") return removed.script;
    return /^on[a-z]+$/.test(what) ? removed.handler(what) : removed.other(what);
  });
  return named.length === 0 ? undefined : words.insert.leftOut([...new Set(named)]);
}
