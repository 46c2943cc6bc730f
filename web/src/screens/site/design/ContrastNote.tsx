import { words } from "../../../glossary";
import type { Token } from "../../../site/site-tokens";
import {
  contrast,
  counterpartOf,
  pageColors,
  type Rgb,
  readability,
  resolvedValue,
  rgbOf,
  type Scheme,
} from "./contrast";
import styles from "./Design.module.css";

const texts = words.design.colors;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

interface ContrastNoteProps {
  token: Token;
  tokens: readonly Token[];
  scheme: Scheme;
}

/** How well a colour can be told from the one it is usually seen with. */
export function ContrastNote({ token, tokens, scheme }: ContrastNoteProps) {
  const page = pageColors(tokens, shownColors());
  const rgb = (of: Token | undefined) => of && rgbOf(resolvedValue(of, tokens, scheme))?.rgb;
  const mine = rgb(token);
  if (mine === undefined) return null;
  const onPage = contrast(mine, rgb(page.background) ?? (scheme === "light" ? WHITE : BLACK));
  const counterpart = counterpartOf(token, tokens, page, onPage);
  const plain = (scheme === "light") === counterpart.isBehind ? WHITE : BLACK;
  const other = rgb(counterpart.token);
  const ratio = contrast(mine, other ?? plain);
  const name = counterpart.token?.name ?? (plain === WHITE ? texts.white : texts.black);
  const said = (counterpart.isBehind ? texts.contrast : texts.contrastOf)(ratio.toFixed(1), name);
  const verdict = readability(ratio);
  return (
    <p className={styles.contrast} data-verdict={verdict}>
      <span>{scheme === "light" ? texts.light : texts.dark}</span>
      <span>{said}</span>
      <strong>{texts[verdict]}</strong>
    </p>
  );
}

/** The colours of the page on the canvas. */
function shownColors(): { background: string; text: string } {
  const frame = document.querySelector<HTMLIFrameElement>("iframe[data-frame]")?.contentDocument;
  const body = frame?.body && frame.defaultView?.getComputedStyle(frame.body);
  return { background: body?.backgroundColor ?? "", text: body?.color ?? "" };
}
