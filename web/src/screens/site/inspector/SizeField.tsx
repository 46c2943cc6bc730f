import { useId } from "react";
import { words } from "../../../glossary";
import { stepSize, type Token, tokenNamed } from "../../../site/site-tokens";
import { own, type Selected, setOwn } from "./element";
import styles from "./Inspector.module.css";
import { OriginNote } from "./OriginNote";
import { Row } from "./Row";
import { type Draft, useDraft } from "./use-draft";

export interface SizeProps {
  selected: Selected;
  property: string;
  label: string;
  steps: readonly Token[];
  /** Reads what a person writes in another way than as a size. */
  read?(text: string): string | undefined;
  /** Why something was not understood. */
  problem?(text: string): string;
  /** What stands in the empty field, where it is not the computed value. */
  placeholder?: string;
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

export function useSize({ selected, property, label, steps, read, problem, along }: SizeProps): Draft {
  const said = own(selected, property) ?? "";
  const parse = read ?? ((text: string) => sizeFrom(text, property, steps));
  return useDraft({
    value: tokenNamed(steps, said)?.name ?? said,
    check: (text) => {
      if (text.trim() === "" || parse(text) !== undefined) return undefined;
      return (problem ?? words.inspector.badSize)(text.trim());
    },
    save: (text) => {
      const value = text.trim() === "" ? undefined : parse(text);
      return setOwn(selected, { [property]: value, ...(value === undefined ? {} : along?.(value)) }, label);
    },
  });
}

/** A size with its label; what is in force stands there while nothing is set. */
export function SizeRow({ over, ...props }: SizeProps & { over?: boolean }) {
  const draft = useSize(props);
  return (
    <Row label={props.label} over={over} origin={<OriginNote {...props} />} error={draft.error}>
      {(ids) => <SizeInput {...props} draft={draft} ids={ids} />}
    </Row>
  );
}

interface SizeInputProps extends SizeProps {
  draft: Draft;
  ids?: { id: string; "aria-describedby": string; "aria-invalid": true | undefined };
}

export function SizeInput({ selected, property, label, steps, placeholder, draft, ids }: SizeInputProps) {
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
        placeholder={placeholder ?? shortened(selected.inForce.value(property))}
        // A value that does not fit its field can still be read.
        title={draft.text === "" ? undefined : draft.text}
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

/** Computed sizes come with many digits, and some are words for nothing. */
function shortened(value: string): string {
  return value.replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number) * 10) / 10));
}
