// The little markdown that models write, as a tree. What is no markdown is text; nothing of it is ever HTML.

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "emphasis"; parts: readonly Inline[] }
  | { kind: "link"; href: string; parts: readonly Inline[] };

export type Block =
  | { kind: "paragraph" | "heading"; parts: readonly Inline[] }
  | { kind: "list"; isOrdered: boolean; items: readonly (readonly Inline[])[] }
  | { kind: "code"; text: string };

const BULLET = /^\s{0,6}[-*+]\s+(.*)$/;
const NUMBER = /^\s{0,6}\d{1,3}[.)]\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;
const FENCE = /^\s*```/;

export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  let items: Inline[][] = [];
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", parts: parseInline(paragraph.join("\n")) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (FENCE.test(line)) {
      flush();
      const from = at + 1;
      // While it streams in, the end of the code may be missing.
      at = from;
      while (at < lines.length && !FENCE.test(lines[at] ?? "")) at++;
      blocks.push({ kind: "code", text: lines.slice(from, at).join("\n") });
      continue;
    }
    const heading = HEADING.exec(line)?.[1];
    const item = BULLET.exec(line)?.[1] ?? NUMBER.exec(line)?.[1];
    if (heading !== undefined) {
      flush();
      blocks.push({ kind: "heading", parts: parseInline(heading) });
    } else if (item !== undefined) {
      flush();
      const isOrdered = !BULLET.test(line);
      const last = blocks.at(-1);
      if (last?.kind !== "list" || last.isOrdered !== isOrdered) {
        items = [];
        blocks.push({ kind: "list", isOrdered, items });
      }
      items.push(parseInline(item));
    } else if (line.trim() === "") flush();
    else paragraph.push(line);
  }
  flush();
  return blocks;
}

// Bounded, so that a line of signs costs no more than a line of words.
const SIGNS =
  /`([^`\n]{1,300})`|\*\*(?!\s)([^\n]{1,500}?)\*\*|\*(?![*\s])([^*\n]{1,300})\*|\[([^[\]\n]{1,300})\]\(([^()\s]{1,2000})\)/;

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let rest = text;
  for (;;) {
    const found = SIGNS.exec(rest);
    if (found === null) break;
    const [whole, code, strong, emphasis, label, href] = found;
    if (found.index > 0) parts.push({ kind: "text", text: rest.slice(0, found.index) });
    if (code !== undefined) parts.push({ kind: "code", text: code });
    else if (strong !== undefined) parts.push({ kind: "strong", parts: parseInline(strong) });
    else if (emphasis !== undefined) parts.push({ kind: "emphasis", parts: parseInline(emphasis) });
    else if (label !== undefined && href !== undefined) parts.push(linked(whole, label, href));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest !== "") parts.push({ kind: "text", text: rest });
  return parts;
}

/** Only what a browser opens as a page is a link; anything else stays as it was written. */
function linked(whole: string, label: string, href: string): Inline {
  if (!/^(https?:\/\/|mailto:|\/(?!\/))/i.test(href)) return { kind: "text", text: whole };
  return { kind: "link", href, parts: parseInline(label) };
}
