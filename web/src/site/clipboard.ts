// Elements on the clipboard: as HTML that other programs understand too, and back from what other programs put there.

/** What is on the clipboard, or goes there; a form that is missing is an empty text. */
export interface ClipboardTexts {
  html: string;
  text: string;
}

export interface Pasted {
  html: string;
  /** Bindings count in what was copied here; in everything else braces are ordinary text. */
  braces: "bindings" | "literal";
  /** Whether the look it had where it came from was left out. */
  lostLook: boolean;
}

/** Reads HTML in a document of a frame: the policy of the shell forbids styles in HTML, and the console would fill with refusals. */
export type ParseHtml = (html: string) => Document;

/** Marks HTML that was copied in this product, with the address of the site it was copied on. */
const MARK = "sitewright-copy";

/** `css` is what the elements need to look the same on another site. */
export function clipboardTexts(html: string, css: string, origin: string, parse: ParseHtml): ClipboardTexts {
  const document = parse(html);
  for (const block of document.querySelectorAll(BLOCKS)) block.append("\n");
  const text = (document.body.textContent ?? "").replace(/\\\{/g, "{").replace(/[ \t]*\n\s*/g, "\n");
  const style = css === "" ? "" : `<style>${css}</style>`;
  return { html: `<meta name="${MARK}" content="${escaped(origin)}">${style}${html}`, text: text.trim() };
}

/** What a paste brings; nothing when there is neither text nor HTML. */
export function pastedHtml({ html, text }: ClipboardTexts, origin: string, parse: ParseHtml): Pasted | undefined {
  const own = html === "" ? null : parse(html).querySelector(`meta[name="${MARK}"]`);
  if (own !== null) return { html: copiedHtml(parse(html), own.getAttribute("content") === origin), ...COPIED };
  // Source code is on the clipboard as text, often beside a coloured rendering of it, which is not what was meant.
  if (isSource(text)) return { html: text, braces: "literal", lostLook: false };
  if (html.trim() !== "") {
    const written = withoutLook(parse(html));
    if (written.html !== "") return { ...written, braces: "literal" };
  }
  if (text.trim() === "") return undefined;
  return { html: paragraphs(text), braces: "literal", lostLook: false };
}

const COPIED = { braces: "bindings", lostLook: false } as const;
const BLOCKS = "p,h1,h2,h3,h4,h5,h6,li,div,section,article,header,footer,blockquote,tr,figure,dt,dd,br,hr";

/** On the site it came from, its styles are there already. */
function copiedHtml(document: Document, sameSite: boolean): string {
  for (const meta of document.querySelectorAll("meta")) meta.remove();
  const styles = [...document.querySelectorAll("style")].map((style) => {
    style.remove();
    return style.outerHTML;
  });
  const fragment = withoutMarkers(document.body).innerHTML.trim();
  return sameSite ? fragment : styles.join("") + fragment;
}

export function isSource(text: string): boolean {
  return /^\s*<(!doctype|!--|[a-z][\w-]*[\s/>])/i.test(text) && /(>)\s*$/.test(text);
}

/** Blank lines part paragraphs; a single line break stays one. */
export function paragraphs(text: string): string {
  const parts = text
    .replace(/\r\n?/g, "\n")
    .split(/\n[ \t]*\n+/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.map((part) => `<p>${escaped(part).replaceAll("\n", "<br>")}</p>`).join("");
}

/** Whether an element of a word processor says nothing that a site needs. */
function isWrapper({ localName, id, attributes }: Element): boolean {
  if (localName === "b") return id.startsWith("docs-internal-guid");
  return /^(font|center|o:p)$/.test(localName) || (localName === "span" && attributes.getNamedItem("lang") === null);
}

/** Attributes that carry the look of where it came from. */
const LOOKS = /^(style|class|id|bgcolor|align|valign|color|face|size|border|cellpadding|cellspacing|dir|data-.*)$/i;

/** Rich text without the look it had elsewhere, so that it takes that of the site. */
function withoutLook(document: Document): Pick<Pasted, "html" | "lostLook"> {
  let lostLook = document.querySelector("style") !== null;
  for (const element of document.querySelectorAll("style, meta, link, title, base")) element.remove();
  const all = [...document.body.querySelectorAll("*")];
  const wrappers = all.filter(isWrapper);
  for (const element of all) {
    for (const { name } of [...element.attributes]) {
      if (!LOOKS.test(name)) continue;
      if (name === "style" || name === "class") lostLook = true;
      element.removeAttribute(name);
    }
  }
  for (const wrapper of wrappers) wrapper.replaceWith(...wrapper.childNodes);
  const body = withoutMarkers(document.body);
  const isLine = body.textContent?.trim() !== "" && body.querySelector(`${BLOCKS},table,ul,ol,img,svg`) === null;
  const inner = body.innerHTML.trim();
  return { html: isLine ? `<p>${inner}</p>` : inner, lostLook };
}

/** Browsers put comments around the part that was copied. */
function withoutMarkers(body: HTMLElement): HTMLElement {
  for (const node of [...body.childNodes]) {
    if (node.nodeType === Node.COMMENT_NODE && /^(Start|End)Fragment$/.test(node.nodeValue ?? "")) node.remove();
  }
  return body;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/**
 * The rules of a rendered page that dress an element and what is in it, by their classes, ids and attributes. Rules for bare elements are
 * the look of the site, and another site has its own.
 */
export function rulesFor(element: Element): string {
  const all = [element, ...element.querySelectorAll("*")];
  const applies = (selector: string) => {
    const bare = selector.replace(/::?[\w-]+(\([^()]*\))?/g, "");
    if (!/[.#[]/.test(bare)) return false;
    try {
      return all.some((one) => one.matches(bare));
    } catch {
      return false;
    }
  };
  const texts: string[] = [];
  for (const sheet of element.ownerDocument.styleSheets) texts.push(...matching(sheet.cssRules, applies));
  return texts.join("\n");
}

function matching(rules: CSSRuleList, applies: (selector: string) => boolean): string[] {
  return [...rules].flatMap((rule) => {
    // Rules of a frame are of the frame's own classes, so they are told by what they have.
    if ("selectorText" in rule && typeof rule.selectorText === "string") {
      return rule.selectorText.split(",").some(applies) ? [rule.cssText] : [];
    }
    if (!("cssRules" in rule) || rule.cssText.startsWith("@keyframes")) return [];
    const inner = matching(rule.cssRules as CSSRuleList, applies);
    const [head = ""] = rule.cssText.split("{", 1);
    return inner.length === 0 ? [] : [`${head}{ ${inner.join("\n")} }`];
  });
}
