import { useEffect, useState } from "react";
import { words } from "../../../glossary";
import { IconButton } from "../../../parts/button/Button";
import { origin, own, type SectionProps, type Selected, setOwn } from "./element";
import styles from "./Inspector.module.css";
import { SizeInput, useSize } from "./SizeField";

const texts = words.inspector;
const SIDES = ["top", "right", "bottom", "left"] as const;

/** The room inside and around. */
export function SpaceSection({ selected }: SectionProps) {
  return (
    <>
      <Sides selected={selected} what={texts.padding} property="padding" />
      <Sides selected={selected} what={texts.margin} property="margin" />
      {selected.tokens.spacing.length > 0 && <p className={styles.hint}>{texts.steps}</p>}
    </>
  );
}

interface SidesProps {
  selected: Selected;
  what: string;
  property: "margin" | "padding";
}

function Sides({ selected, what, property }: SidesProps) {
  const [errors, setErrors] = useState<Readonly<Record<string, string | undefined>>>({});
  const wrong = SIDES.map((side) => errors[side]).find((error) => error !== undefined);
  const values = SIDES.map((side) => own(selected, `${property}-${side}`));
  const first = values.find((value) => value !== undefined);
  const setAll = (value: string | undefined) =>
    setOwn(selected, Object.fromEntries(SIDES.map((side) => [`${property}-${side}`, value])), what);
  return (
    <fieldset className={styles.sides}>
      <legend>{what}</legend>
      {SIDES.map((side) => (
        <Side
          key={side}
          selected={selected}
          what={what}
          property={property}
          side={side}
          onError={(error) => setErrors((known) => ({ ...known, [side]: error }))}
        />
      ))}
      <IconButton
        label={texts.sameSides(what)}
        icon="copy"
        disabled={first === undefined || values.every((value) => value === first)}
        onClick={() => void setAll(first)}
      />
      {first !== undefined && (
        <button type="button" className={styles.resetAll} onClick={() => void setAll(undefined)}>
          <span className="visually-hidden">{words.design.origin.resetWhat(what)}</span>
          <span aria-hidden="true">{words.design.origin.reset}</span>
        </button>
      )}
      {wrong !== undefined && (
        <p className={styles.error} role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}

interface SideProps extends SidesProps {
  side: (typeof SIDES)[number];
  onError(error: string | undefined): void;
}

function Side({ selected, what, property, side, onError }: SideProps) {
  const label = texts.side(what, texts.sides[side]);
  const props = { selected, property: `${property}-${side}`, label, steps: selected.tokens.spacing };
  const draft = useSize(props);
  // One field is too narrow for a sentence.
  const { error } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another error is told.
  useEffect(() => onError(error), [error]);
  const from = origin(selected, props.property);
  return (
    <div className={styles.side}>
      <span aria-hidden="true" data-origin={from?.kind} title={from?.sentence}>
        {texts.sides[side]}
      </span>
      <SizeInput {...props} draft={draft} />
    </div>
  );
}
