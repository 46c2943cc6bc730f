import { useId } from "react";
import { words } from "../../../glossary";
import { Radio } from "../../../parts/choice/Choice";
import type { Lock } from "../../../site/model";
import { put, type SectionProps } from "./element";
import styles from "./Inspector.module.css";

const texts = words.inspector;

/** Whether visitors see the element, and what the assistant may do to it. */
export function RightsSection({ selected }: SectionProps) {
  const { hidden, lock } = selected.node;
  const name = useId();
  const locks = Object.entries(texts.locks) as [Lock, readonly [string, string]][];
  return (
    <>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={hidden}
          onChange={({ target }) =>
            put(selected, "hidden", target.checked, target.checked ? texts.summaries.hide : texts.summaries.show)
          }
        />
        <span>
          {texts.hidden}
          <small>{texts.hiddenHint}</small>
        </span>
      </label>
      <fieldset className={styles.locks}>
        <legend>{texts.protect}</legend>
        {locks.map(([value, [label, sentence]]) => (
          <Radio
            key={value}
            name={name}
            value={value}
            label={label}
            hint={sentence}
            checked={lock === value}
            onChange={() => put(selected, "lock", value, texts.summaries.protect)}
          />
        ))}
      </fieldset>
    </>
  );
}
