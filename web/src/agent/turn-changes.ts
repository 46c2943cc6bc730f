// What a turn did to the site, summed up over its calls for the card at its end.
import type { Receipt, Touched } from "./events";
import type { CallItem, Turn } from "./transcript";

export interface Style {
  id: string;
  name: string;
  /** In how many other places it is used. */
  alsoUsedIn: number;
}

export interface TurnChanges {
  pages: { added: Touched[]; changed: Touched[]; removed: Touched[] };
  elements: { added: Touched[]; changed: Touched[]; removed: Touched[] };
  /** Entries, sections, menu items and pictures. */
  content: { added: Touched[]; changed: Touched[]; removed: Touched[] };
  /** Style rules, tokens and fonts, which more than one place may use. */
  styles: Style[];
  touchesSettings: boolean;
  /** Code files. */
  files: Touched[];
  sanitised: { what: string; count: number }[];
  refused: CallItem[];
  notes: string[];
}

const CONTENT: ReadonlySet<string> = new Set(["entry", "section", "navItem", "image"]);
const STYLES: ReadonlySet<string> = new Set(["rule", "token", "font"]);
/** A rule for one element alone, which nothing else uses. */
const isOwnRule = ({ name }: { name?: string | null }) => /^\.n-[0-9a-z]{12}\b/.test(name ?? "");

/** Nothing for a turn that changed nothing. `applied` is what its plan did after it was accepted. */
export function turnChangesOf({ items }: Pick<Turn, "items">, applied?: Receipt): TurnChanges | undefined {
  const calls = items.filter((item) => item.kind === "call");
  const ofCalls = calls.flatMap(({ status, receipt }) => (status === "ok" && receipt ? [receipt] : []));
  const receipts = applied === undefined ? ofCalls : [...ofCalls, applied];
  if (!receipts.some(hasTouched)) return undefined;
  const refused = calls.filter(({ status }) => status === "error");
  return { ...summed(receipts), refused };
}

function hasTouched({ created = [], changed = [], removed = [] }: Receipt): boolean {
  return created.length + changed.length + removed.length > 0;
}

function summed(receipts: readonly Receipt[]): Omit<TurnChanges, "refused"> {
  // What was made and removed again in one turn is as if it had not been.
  const added = new Map<string, Touched>();
  const changed = new Map<string, Touched>();
  const removed = new Map<string, Touched>();
  const sanitised = new Map<string, number>();
  for (const receipt of receipts) {
    for (const thing of receipt.created ?? []) added.set(keyOf(thing), thing);
    for (const thing of receipt.changed ?? []) if (!added.has(keyOf(thing))) changed.set(keyOf(thing), thing);
    for (const thing of receipt.removed ?? []) {
      changed.delete(keyOf(thing));
      if (!added.delete(keyOf(thing))) removed.set(keyOf(thing), thing);
    }
    for (const { what, count } of receipt.sanitised ?? []) sanitised.set(what, (sanitised.get(what) ?? 0) + count);
  }
  const of = (things: ReadonlyMap<string, Touched>, kind: string) =>
    [...things.values()].filter((one) => one.kind === kind);
  const ofContent = (things: ReadonlyMap<string, Touched>) =>
    [...things.values()].filter(({ kind }) => CONTENT.has(kind));
  const styles = [...added.values(), ...changed.values()].filter((one) => STYLES.has(one.kind) && !isOwnRule(one));
  return {
    pages: { added: of(added, "page"), changed: of(changed, "page"), removed: of(removed, "page") },
    elements: {
      added: of(added, "node"),
      changed: of(changed, "node"),
      removed: of(removed, "node"),
    },
    content: { added: ofContent(added), changed: ofContent(changed), removed: ofContent(removed) },
    styles: styles.map(({ id, name, alsoUsedIn }) => ({ id, name: name ?? id, alsoUsedIn: alsoUsedIn ?? 0 })),
    touchesSettings: of(changed, "site").length > 0,
    files: [...of(added, "file"), ...of(changed, "file"), ...of(removed, "file")],
    sanitised: [...sanitised].map(([what, count]) => ({ what, count })),
    notes: [...new Set(receipts.flatMap(({ notes = [] }) => notes))],
  };
}

const keyOf = ({ kind, id }: Touched) => `${kind} ${id}`;
