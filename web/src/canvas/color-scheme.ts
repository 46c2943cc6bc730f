// Shows a frame as visitors with the other colour scheme get it. A browser has one preference for all frames, so the conditions about it
// in the frame's own styles are answered instead.
export type ColorScheme = "light" | "dark";

const CONDITION = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi;
/** Conditions that always and never hold. */
const [HOLDS, FAILS] = ["(min-width: 0px)", "(max-width: 0px)"];

/** The conditions as the site wrote them. */
const written = new WeakMap<MediaList, string>();

/** Answers conditions about the colour scheme; without a scheme they are the browser's to answer again. */
export function showScheme(frame: Document, scheme: ColorScheme | undefined): void {
  for (const sheet of frame.styleSheets) answer(sheet, scheme);
}

function answer(sheet: CSSStyleSheet, scheme: ColorScheme | undefined): void {
  answerMedia(sheet.media, scheme);
  answerRules(rulesOf(sheet), scheme);
}

function answerRules(rules: Iterable<CSSRule>, scheme: ColorScheme | undefined): void {
  for (const rule of rules) {
    if ("media" in rule) answerMedia(rule.media as MediaList, scheme);
    if ("styleSheet" in rule && rule.styleSheet !== null) answer(rule.styleSheet as CSSStyleSheet, scheme);
    if ("cssRules" in rule) answerRules([...(rule.cssRules as CSSRuleList)], scheme);
  }
}

function answerMedia(media: MediaList, scheme: ColorScheme | undefined): void {
  const text = written.get(media) ?? media.mediaText;
  if (text.search(CONDITION) < 0) return;
  written.set(media, text);
  media.mediaText =
    scheme === undefined ? text : text.replace(CONDITION, (_, wanted) => (wanted === scheme ? HOLDS : FAILS));
}

/** Styles from elsewhere cannot be read. */
function rulesOf(sheet: CSSStyleSheet): CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    return [];
  }
}

/** A rule for `color-scheme`, which decides about form fields, scroll bars and `light-dark()`, where the site allows both. */
export function schemeCss(frame: Document, scheme: ColorScheme | undefined): string {
  const allowed = frame.defaultView?.getComputedStyle(frame.documentElement).colorScheme ?? "";
  if (scheme === undefined || !allowed.split(/\s+/).includes(scheme)) return "";
  return `:root { color-scheme: ${scheme} !important; }`;
}
