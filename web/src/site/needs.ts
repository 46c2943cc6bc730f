// Gets what the core lacks for a rendering or a tool, and asks it again, until it has enough.

import { readField } from "../api/read-field";
import type {
  Facts,
  FontQuery,
  FontReport,
  FrameQuery,
  FrameReport,
  Need,
  Reference,
  RowQuery,
  ToolError,
} from "../generated/site";
import { words } from "../glossary";
import { plainSentence, refusalSentence } from "../words/refusal-words";
import type { Outcome, SiteCopy } from "./site-copy";

/** Templates and components lie in each other; the core bounds how deep. */
const ROUNDS_MAX = 64;

/** What can be got from outside the copy. */
export interface World {
  copy(): SiteCopy;
  openBody(copy: SiteCopy, id: string): Promise<void>;
  /** Opens the document that holds a node; false when there is none. */
  openOwner(copy: SiteCopy, node: string): Promise<boolean>;
  /** Fetches a font into the site's files. */
  installFont(query: FontQuery): Promise<FontReport>;
  /** The rows of a list; none when the server cannot be asked. */
  rows(query: RowQuery): Promise<unknown[] | undefined>;
  /** Where an entry or a file is; null when visitors do not see it, or the server cannot be asked. */
  address(target: Reference): Promise<string | null>;
  /** Looks at a rendered document. */
  lookAt(query: FrameQuery): Promise<FrameReport>;
}

export interface Answered<T> {
  done: T;
  /** Whether lists were shown as if they were empty. */
  lists: boolean;
}

type Asked<T> = Outcome<T> | { error: ToolError };

/** What is collected for the core. */
type Collected = Required<Pick<Facts, "rows" | "addresses" | "unknownNodes" | "fonts" | "frames">>;

/** Why a tool refused. The message is the tool's own, for models. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
  readonly code: string;
  /** The reason in words for people. */
  readonly sentence: string;
  /** A sentence for people for each part of the input that is wrong, by its name. */
  readonly fieldErrors: Readonly<Record<string, string>>;

  constructor({ code, message, details }: ToolError) {
    super(message);
    this.code = code;
    this.sentence = refusalSentence({ code, message });
    this.fieldErrors = Object.fromEntries(
      wrongPlaces(details).map(({ pointer, message }) => [pointer.slice(1), plainSentence(message)]),
    );
  }
}

export async function withNeeds<T>(
  world: World,
  ask: (copy: SiteCopy, facts: Facts) => Asked<T>,
): Promise<Answered<T>> {
  const facts: Collected = { rows: {}, addresses: [], unknownNodes: [], fonts: [], frames: [] };
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

/** Tells whether a list is shown as if it were empty. Tools on content run on the server, so a tab is never asked for entries themselves. */
async function satisfy(world: World, copy: SiteCopy, facts: Collected, need: Need): Promise<boolean> {
  if ("body" in need) await world.openBody(copy, need.body);
  else if ("owner" in need) {
    if (!(await world.openOwner(copy, need.owner))) facts.unknownNodes.push(need.owner);
  } else if ("address" in need) facts.addresses.push([need.address, await world.address(need.address)]);
  else if ("frame" in need) facts.frames.push([need.frame, await world.lookAt(need.frame)]);
  else if ("fontFamily" in need) facts.fonts.push([need.fontFamily, await world.installFont(need.fontFamily)]);
  else if ("rows" in need) {
    const rows = await world.rows(need.rows.query);
    facts.rows[need.rows.key] = rows ?? [];
    return rows === undefined;
  }
  return false;
}

/** The places in the input of a tool that are wrong, as far as the details of its error say so. */
function wrongPlaces(details: unknown): { pointer: string; message: string }[] {
  const errors = readField(details, "errors");
  return (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => {
    const [pointer, message] = [readField(error, "pointer"), readField(error, "message")];
    return typeof pointer === "string" && typeof message === "string" ? [{ pointer, message }] : [];
  });
}
