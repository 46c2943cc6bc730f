import { useId } from "react";
import { words } from "../../../glossary";
import { stepSize, type Token, tokenNamed } from "../../../site/site-tokens";
import { own, type Selected, setOwn } from "./element";
import styles from "./Inspector.module.css";
import { Row } from "./Row";
import { type Draft, useDraft } from "./use-draft";

export interface SizeProps {
  selected: Selected;
  property: string;
  label: string;
  steps: readonly Token[];
  /** What else has to be said so that the size shows. */
  along?(value: string): Record<string, string | undefined>;
}

/** A size of CSS from what a person writes: a step of the scale by its name, a number of pixels, or any value that fits. */
export function sizeFrom(text: string, property: string, steps: readonly Token[]): string | undefined {
  const written = text.trim();
  const step = steps.find(({ name }) => name === written);
  if (step !== undefined) return step.ref;
  const value = /^-?(\d+\.?\d*|\.\d+)$/.test(written) && Number(written) !== 0 ? `${written}px` : written;
  return CSS.supports(property, value) ? value : undefined;
}

export function useSize({ selected, property, label, steps, along }: SizeProps): Draft {
  const said = own(selected, property) ?? "";
  return useDraft({
    value: tokenNamed(steps, said)?.name ?? said,
    check: (text) => {
      if (text.trim() === "" || sizeFrom(text, property, steps) !== undefined) return undefined;
      return words.inspector.badSize(text.trim());
    },
    save: (text) => {
      const value = text.trim() === "" ? undefined : sizeFrom(text, property, steps);
      setOwn(selected, { [property]: value, ...(value === undefined ? {} : along?.(value)) }, label);
    },
  });
}

/** A size with its label; what is in force stands there while nothing is set. */
export function SizeRow(props: SizeProps) {
  const draft = useSize(props);
  return (
    <Row label={props.label} error={draft.error}>
      {(ids) => <SizeInput {...props} draft={draft} ids={ids} />}
    </Row>
  );
}

interface SizeInputProps extends SizeProps {
  draft: Draft;
  ids?: { id: string; "aria-describedby": string; "aria-invalid": true | undefined };
}

export function SizeInput({ selected, property, label, steps, draft, ids }: SizeInputProps) {
  const list = useId();
  return (
    <>
      <input
        {...ids}
        {...draft.field}
        aria-label={ids === undefined ? label : undefined}
        aria-invalid={draft.error === undefined ? undefined : true}
        className={styles.input}
        list={steps.length > 0 ? list : undefined}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        placeholder={shortened(selected.inForce(property))}
        value={draft.text}
        onChange={(event) => draft.change(event.target.value)}
      />
      {steps.length > 0 && (
        <datalist id={list}>
          {steps.map((step) => (
            <option key={step.ref} value={step.name}>
              {stepSize(step)}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}

/** Computed sizes come with many digits. */
function shortened(value: string): string {
  return value.replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number) * 10) / 10));
}
