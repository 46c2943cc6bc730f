// Gets what the core lacks for a rendering or a tool, and asks it again, until it has enough.
import { words } from "../glossary";
import type { Facts, Need, Outcome, SiteCopy } from "./site-copy";

/** Templates and components lie in each other; the core bounds how deep. */
const ROUNDS_MAX = 64;

/** What can be got from outside the copy. */
export interface World {
  copy(): SiteCopy;
  openBody(copy: SiteCopy, id: string): Promise<void>;
  /** Opens the document that holds a node; false when there is none. */
  openOwner(copy: SiteCopy, node: string): Promise<boolean>;
  /** Fetches a font into the site's files; the report is the core's. */
  installFont(query: unknown): Promise<unknown>;
  /** Looks at a rendered document; the report is the core's. */
  lookAt(query: unknown): Promise<unknown>;
}

export interface Answered<T> {
  done: T;
  /** Whether lists were shown as if they were empty. */
  lists: boolean;
}

interface Refused {
  code: string;
  message: string;
  details?: { errors?: { pointer: string; message: string }[] };
}

type Asked<T> = Outcome<T> | { error: Refused };

/** Why a tool refused, in its own words. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
  readonly code: string;
  /** A sentence for each part of the input that is wrong, by its name. */
  readonly fieldErrors: Readonly<Record<string, string>>;

  constructor({ code, message, details }: Refused) {
    super(message);
    this.code = code;
    const errors = details?.errors ?? [];
    this.fieldErrors = Object.fromEntries(errors.map(({ pointer, message }) => [pointer.slice(1), message]));
  }
}

export async function withNeeds<T>(
  world: World,
  ask: (copy: SiteCopy, facts: Facts) => Asked<T>,
): Promise<Answered<T>> {
  const facts: Required<Facts> = { rows: {}, addresses: [], unknownNodes: [], fonts: [], frames: [], collections: [] };
  let lists = false;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const copy = world.copy();
    const outcome = ask(copy, facts);
    if ("error" in outcome) throw new ToolRefusal(outcome.error);
    if ("done" in outcome) return { done: outcome.done, lists };
    for (const need of outcome.needs) lists = (await satisfy(world, copy, facts, need)) || lists;
  }
  throw new Error(words.site.needsNoEnd);
}

/** Tells whether it was a list. Entries have no home yet; they are shown as if there were none. */
async function satisfy(world: World, copy: SiteCopy, facts: Required<Facts>, need: Need): Promise<boolean> {
  if (typeof need === "string") return false;
  const { body, owner, rows, address, frame, fontFamily } = need;
  if (typeof body === "string") await world.openBody(copy, body);
  if (typeof owner === "string" && !(await world.openOwner(copy, owner))) facts.unknownNodes.push(owner);
  if (address !== undefined) facts.addresses.push([address, null]);
  if (frame !== undefined) facts.frames.push([frame, await world.lookAt(frame)]);
  if (fontFamily !== undefined) facts.fonts.push([fontFamily, await world.installFont(fontFamily)]);
  if (!isKeyed(rows)) return false;
  facts.rows[rows.key] = [];
  return true;
}

function isKeyed(value: unknown): value is { key: string } {
  return typeof value === "object" && value !== null && "key" in value && typeof value.key === "string";
}
