// Shows a frame as visitors with the other colour scheme get it. A browser has one preference for all frames, so the conditions about it
// in the frame's own styles are answered instead.
export type ColorScheme = "light" | "dark";

const CONDITION = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi;

/**
 * Widths that no frame has, by the scheme a condition asked for. They tell what the site wrote: a browser forgets what it is told about
 * a rule when nobody holds on to it.
 */
const WIDTHS: Readonly<Record<ColorScheme, string>> = { light: "0.001px", dark: "0.002px" };
const ANSWER = /\((?:min|max)-width: (0\.001px|0\.002px)\)/g;

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
  const text = answeredMedia(media.mediaText, scheme);
  if (text !== media.mediaText) media.mediaText = text;
}

/** Conditions with those about the colour scheme answered; without a scheme, as the site wrote them. */
export function answeredMedia(text: string, scheme: ColorScheme | undefined): string {
  const written = text.replace(ANSWER, (_, width) =>
    width === WIDTHS.dark ? "(prefers-color-scheme: dark)" : "(prefers-color-scheme: light)",
  );
  if (scheme === undefined) return written;
  return written.replace(CONDITION, (_, name: string) => {
    const wanted = name.toLowerCase() === "dark" ? "dark" : "light";
    return `(${wanted === scheme ? "min" : "max"}-width: ${WIDTHS[wanted]})`;
  });
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
