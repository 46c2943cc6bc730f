import { useId, useRef, useState } from "react";
import { words } from "../../../glossary";
import { type Token, tokenNamed } from "../../../site/site-tokens";
import { own, type SectionProps, type Selected, setOwn } from "./element";
import styles from "./Inspector.module.css";
import { OriginNote } from "./OriginNote";
import { Row } from "./Row";
import { useDraft } from "./use-draft";

const texts = words.inspector;

interface ColorRowProps extends SectionProps {
  property: string;
  label: string;
  /** Whether the colour in force colours nothing. */
  isIdle?: boolean;
  /** What else has to be said so that the colour shows. */
  along?(): Record<string, string>;
}

/** A colour: what is in force as a swatch, and under it the site's colours and one of one's own. */
export function ColorRow({ selected, property, label, isIdle = false, along }: ColorRowProps) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const said = own(selected, property);
  const token = said === undefined ? undefined : tokenNamed(selected.tokens.colors, said);
  const inForce = isIdle ? "" : selected.inForce.value(property);
  const set = (value: string | undefined) =>
    setOwn(selected, { [property]: value, ...(value === undefined ? {} : along?.()) }, label);
  const shown = token?.name ?? said ?? inForceName(inForce, selected.tokens.colors);
  return (
    <div className={styles.color}>
      <div className={styles.row}>
        <div className={styles.label}>
          <span>{label}</span>
          {!isIdle && <OriginNote selected={selected} property={property} label={label} />}
        </div>
        <button
          ref={trigger}
          type="button"
          className={styles.swatchButton}
          aria-expanded={open}
          aria-controls={panel}
          aria-label={texts.chooseColor(label, shown)}
          data-own={said !== undefined}
          onClick={() => setOpen(!open)}
        >
          <Swatch value={inForce} />
          <span>{shown}</span>
        </button>
      </div>
      {open && (
        <div id={panel} className={styles.palette}>
          <TokenSwatches
            tokens={selected.tokens.colors}
            label={label}
            chosen={token}
            onChoose={(ref) => void set(ref)}
          />
          <OwnColor
            selected={selected}
            property={property}
            value={token === undefined ? (said ?? "") : ""}
            onSet={set}
          />
          {said !== undefined && (
            <button
              type="button"
              className={styles.small}
              onClick={() => {
                void set(undefined);
                // The button goes with the colour.
                trigger.current?.focus();
              }}
            >
              {texts.clear(label)}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

interface TokenSwatchesProps {
  tokens: readonly Token[];
  label: string;
  chosen: Token | undefined;
  onChoose(ref: string): void;
}

function TokenSwatches({ tokens, label, chosen, onChoose }: TokenSwatchesProps) {
  if (tokens.length === 0) return <p className={styles.hint}>{texts.noColors}</p>;
  return (
    <ul className={styles.swatches}>
      {tokens.map((token) => (
        <li key={token.ref}>
          <button
            type="button"
            aria-label={texts.chooseColor(label, token.name)}
            title={token.name}
            aria-pressed={token === chosen}
            onClick={() => onChoose(token.ref)}
          >
            <Swatch value={token.value} dark={token.dark} />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface OwnColorProps {
  selected: Selected;
  property: string;
  value: string;
  onSet(value: string | undefined): Promise<void>;
}

function OwnColor({ selected, property, value, onSet }: OwnColorProps) {
  const draft = useDraft({
    value,
    check: (text) =>
      text.trim() === "" || CSS.supports("color", text.trim()) ? undefined : texts.badColor(text.trim()),
    save: (text) => onSet(text.trim() || undefined),
  });
  return (
    <Row label={texts.ownColor} over error={draft.error}>
      {(ids) => (
        <span className={styles.ownColor}>
          <input
            {...ids}
            {...draft.field}
            className={styles.input}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            placeholder={texts.colorHint}
            value={draft.text}
            onChange={(event) => draft.change(event.target.value)}
          />
          <input
            type="color"
            aria-label={`${texts.ownColor}, picker`}
            value={hexOf(selected.inForce.value(property))}
            onChange={(event) => draft.change(event.target.value)}
            onBlur={draft.settle}
          />
        </span>
      )}
    </Row>
  );
}

/** A colour as a patch; with a second one, half of it is how it looks on dark pages. */
export function Swatch({ value, dark }: { value: string; dark?: string }) {
  return (
    <span className={styles.swatch} aria-hidden="true">
      <span style={{ backgroundColor: value }} />
      {dark !== undefined && <span style={{ backgroundColor: dark }} />}
    </span>
  );
}

/** The colour in force by the name the site gives it, or by itself. */
function inForceName(color: string, tokens: readonly Token[]): string {
  if (isClear(color)) return texts.asInherited;
  const hex = hexOf(color);
  const isIt = (value: string | undefined) => value !== undefined && value.trim().toLowerCase() === hex;
  return tokens.find(({ value, dark }) => isIt(value) || isIt(dark))?.name ?? hex;
}

function isClear(color: string): boolean {
  return color === "" || /^rgba\(.*, 0\)$/.test(color);
}

/** A computed colour as the picker takes it; how far one sees through it is lost. */
export function hexOf(color: string): string {
  const [red, green, blue] = [...color.matchAll(/[\d.]+/g)].map(([number]) => Math.round(Number(number)));
  if (!color.startsWith("rgb") || red === undefined || green === undefined || blue === undefined) return "#000000";
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
