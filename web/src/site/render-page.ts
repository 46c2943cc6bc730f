// Renders a page for the canvas, fetching what the core asks for until it has enough.
import { words } from "../glossary";
import type { Facts, Need, Rendered, SiteCopy } from "./site-copy";

/** Templates and components lie in each other; the core bounds how deep. */
const ROUNDS_MAX = 64;

export async function renderPage(
  copy: () => SiteCopy,
  openBody: (copy: SiteCopy, id: string) => Promise<void>,
  page: string,
): Promise<Rendered> {
  const facts: Required<Facts> = { rows: {}, collections: [], addresses: [] };
  let lists = false;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const site = copy();
    const outcome = site.render(page, "canvas", facts);
    if ("done" in outcome) {
      const problems = lists ? [...outcome.done.problems, words.site.emptyLists] : outcome.done.problems;
      return { ...outcome.done, problems };
    }
    for (const need of outcome.needs) {
      const body = part(need, "body");
      if (typeof body === "string") await openBody(site, body);
      const rows = part(need, "rows");
      if (isKeyed(rows)) {
        // Entries have no home yet; the page is shown as if there were none, and says so.
        facts.rows[rows.key] = [];
        lists = true;
      }
      const address = part(need, "address");
      if (address !== undefined) facts.addresses.push([address, null]);
    }
  }
  throw new Error("the page asks for more and more");
}

function part(need: Need, kind: string): unknown {
  return typeof need === "string" ? undefined : need[kind];
}

function isKeyed(value: unknown): value is { key: string } {
  return typeof value === "object" && value !== null && "key" in value && typeof value.key === "string";
}
