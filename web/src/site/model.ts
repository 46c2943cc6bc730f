// The site's own shapes, which are the core's, and the little that the shell does with them itself.
import type { Change, Entity, Op } from "../generated/site";

export type {
  Author,
  Breakpoint,
  Change,
  ElementState,
  Entity,
  Expect,
  Layer,
  Lock,
  Logged,
  NodeView,
  Op,
  PageEntry,
} from "../generated/site";

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
    case "record":
      return `${entity.type} ${entity.id}`;
    case "item":
      return `item ${entity.list} ${entity.id}`;
    case "piece":
      return `piece ${entity.sheet} ${entity.id}`;
  }
}

/** What a step is about, where it names one thing. */
export function opEntity(op: Op): Entity | undefined {
  return "entity" in op ? op.entity : undefined;
}

/** The documents whose nodes a change is about. */
export function bodiesOf(change: Change): string[] {
  const bodies = change.ops.map((op) => {
    const entity = opEntity(op);
    return entity?.type === "node" ? entity.body : "body" in op ? op.body : undefined;
  });
  return [...new Set(bodies.filter((body) => body !== undefined))];
}

// Crockford's: no letter that is taken for a digit.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** A name for a new change. `randomUUID` is missing on plain http. */
export function newChangeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => ALPHABET[byte & 31]).join("");
}
