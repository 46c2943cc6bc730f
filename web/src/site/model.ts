// The site's own shapes as far as the shell looks into them. The core knows the rest; what is only passed on stays unknown here.

/** A thing that changes name. */
export type Entity =
  | { type: "site" }
  | { type: "node"; body: string; node: string }
  | { type: "page" | "component"; id: string }
  | { type: "item"; list: string; id: string }
  | { type: "piece"; sheet: string; id: string };

/** One step of a change; the shell makes only this kind itself and passes on the others. */
export type Op =
  | { op: "put"; entity: Entity; field: string; value: unknown }
  | { op: string; [field: string]: unknown };

export interface Expect {
  entity: Entity;
  /** The last entry of the log that had touched it. */
  rev: number;
}

export type Author = { kind: "person" | "agent" | "script"; id: string } | { kind: "local" };

/** A change that was made here and is not in the log yet. */
export interface Change {
  id: string;
  author: Author;
  turn?: string;
  summary: string;
  ops: Op[];
  format: number;
}

/** A change as the log has it. */
export interface Logged extends Change {
  seq: number;
  at: number;
}

export interface LeftOut {
  position: number;
  reason: string;
}

/** What the server answers to a change. */
export interface Accepted {
  seq: number;
  at: number;
  ops: Op[];
  leftOut: LeftOut[];
  repeated: boolean;
}

export interface PageEntry {
  id: string;
  title: string;
  slug: string;
  permalink: string;
  isTemplate: boolean;
}

/** A width the site is shown at. */
export interface Breakpoint {
  id: string;
  label: string;
  width: number;
  query?: string;
}

/** What agents may do to a thing. */
export type Lock = "open" | "text-only" | "ask" | "locked";

/** A node as a row of a list. */
export interface Layer {
  id: string;
  kind: "element" | "text" | "comment" | "loop" | "outlet" | "component";
  tag?: string;
  /** What a person calls it. */
  name: string;
  /** What tells it from others of its name. */
  detail?: string;
  hidden: boolean;
  lock: Lock;
  hasLayers: boolean;
}

/** A node looked at closely. */
export interface NodeView extends Layer {
  /** The rows it lies in, from the root. */
  path: Layer[];
  module?: string;
  attrs: { name: string; value: string; target?: unknown }[];
  classes: string | null;
  style: string | null;
  label: string | null;
  /** The text that it is, or that stands alone in it. */
  text?: { node: string; value: string };
  /** Where it stands, counting what does not show; absent for the root. */
  place?: { parent: string; after?: string };
  /** The nearest siblings that show. */
  beside: [before: string | null, after: string | null];
}

/** A text of a document. */
export interface TextPlace {
  body: string;
  node: string;
}

export const textEntity = ({ body, node }: TextPlace): Entity => ({ type: "node", body, node });

/** The version of the shape of changes that this shell makes. */
export const FORMAT = 1;

export function sameEntity(one: Entity, other: Entity): boolean {
  return entityKey(one) === entityKey(other);
}

/** Equal for equal entities. */
export function entityKey(entity: Entity): string {
  switch (entity.type) {
    case "site":
      return "site";
    case "node":
      return `node ${entity.body} ${entity.node}`;
    case "page":
    case "component":
      return `${entity.type} ${entity.id}`;
    case "item":
      return `item ${entity.list} ${entity.id}`;
    case "piece":
      return `piece ${entity.sheet} ${entity.id}`;
  }
}

/** What a step is about, where it names one thing. */
export function opEntity(op: Op): Entity | undefined {
  return "entity" in op ? (op.entity as Entity) : undefined;
}

/** The documents whose nodes a change is about. */
export function bodiesOf(change: Change): string[] {
  const bodies = change.ops.map((op) => {
    const entity = opEntity(op);
    return entity?.type === "node" ? entity.body : "body" in op ? op.body : undefined;
  });
  return [...new Set(bodies.filter((body) => typeof body === "string"))];
}

// Crockford's: no letter that is taken for a digit.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** A name for a new change. `randomUUID` is missing on plain http. */
export function newChangeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => ALPHABET[byte & 31]).join("");
}
