// How well two colours can be told apart, as WCAG counts it, and which colour of a site a colour is usually seen with.
import type { Token } from "../../../site/site-tokens";

/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

export type Readability = "passes" | "large" | "fails";

export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((first, second) => second - first);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** What text with this contrast is good for. */
export function readability(ratio: number): Readability {
  if (ratio >= 4.5) return "passes";
  return ratio >= 3 ? "large" : "fails";
}

export type Scheme = "light" | "dark";

/** The value of a token with the tokens it refers to filled in. */
export function resolvedValue(token: Token, tokens: readonly Token[], scheme: Scheme): string {
  const written = ({ value, dark }: Token) => (scheme === "dark" ? (dark ?? value) : value);
  let value = written(token);
  // Tokens that refer to each other in a circle have no value.
  for (let depth = 0; depth < tokens.length; depth++) {
    const next = value.replace(/var\(\s*(--[-\w]+)\s*\)/g, (use, variable: string) => {
      const named = tokens.find(({ ref }) => ref === `var(${variable})`);
      return named === undefined ? use : written(named);
    });
    if (next === value) return value;
    value = next;
  }
  return value;
}

/** The colours that most of a page is made of, as far as they are tokens. */
export interface PageColors {
  background?: Token;
  text?: Token;
}

/** The tokens that have the colours of the page itself. */
export function pageColors(tokens: readonly Token[], shown: { background: string; text: string }): PageColors {
  const hexes = (token: Token) =>
    (["light", "dark"] as const).map((scheme) => hexColor(resolvedValue(token, tokens, scheme)));
  const named = (color: string) => tokens.find((token) => hexes(token).includes(hexColor(color)));
  return { background: named(shown.background), text: named(shown.text) };
}

export interface Counterpart {
  /** The colour it is usually seen with; nothing stands for white or black. */
  token?: Token;
  /** Whether the other colour is the one behind. */
  isBehind: boolean;
}

/** Under this contrast two colours are both backgrounds, such as a card on a page. */
const SURFACE_MAX = 1.6;

/**
 * Names tell first: `on-accent` is seen on `accent`. Then whatever can hardly be told from the background of the page is a background
 * itself, which is seen with text, and every other colour is seen on the background.
 */
export function counterpartOf(token: Token, tokens: readonly Token[], page: PageColors, onPage: number): Counterpart {
  const named = (name: string) => tokens.find((one) => one.name === name);
  if (token.name.startsWith("on-")) {
    const behind = named(token.name.slice("on-".length));
    if (behind !== undefined) return { token: behind, isBehind: true };
  }
  const over = named(`on-${token.name}`);
  if (over !== undefined) return { token: over, isBehind: false };
  const isSurface = token === page.background || onPage < SURFACE_MAX;
  return isSurface ? { token: page.text, isBehind: false } : { token: page.background, isBehind: true };
}

let pixel: CanvasRenderingContext2D | null | undefined;

/** A colour of CSS as the screen shows it; nothing for what is no colour by itself. */
export function rgbOf(color: string): { rgb: Rgb; alpha: number } | undefined {
  if (!CSS.supports("color", color) || /var\(|currentcolor/i.test(color)) return undefined;
  pixel ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!pixel) return undefined;
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = color;
  pixel.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = pixel.getImageData(0, 0, 1, 1).data;
  return { rgb: [red, green, blue], alpha: alpha / 255 };
}

/** A colour as pickers take it, with two more digits where it is see-through. */
export function hexColor(color: string): string {
  const found = rgbOf(color);
  if (found === undefined) return "#000000";
  const digits = (part: number) => Math.round(part).toString(16).padStart(2, "0");
  const alpha = found.alpha < 1 ? digits(found.alpha * 255) : "";
  return `#${found.rgb.map(digits).join("")}${alpha}`;
}
