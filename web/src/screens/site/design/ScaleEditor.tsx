import { useState } from "react";
import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { stepSize, tokensOf } from "../../../site/site-tokens";
import type { Sync } from "../../../site/sync";
import { reasonOf } from "../inspector/element";
import { useDraft } from "../inspector/use-draft";
import styles from "./Design.module.css";
import { itemEntity } from "./use-items";

const texts = words.design.scales;

const KINDS = {
  type: { list: "typeScales", tool: "set_type_scale", size: "fontSize", summary: words.design.summaries.type },
  space: { list: "spacingScales", tool: "set_spacing_scale", size: "size", summary: words.design.summaries.space },
} as const;

interface ScaleEditorProps {
  sync: Sync;
  id: string | undefined;
  kind: keyof typeof KINDS;
}

/** A scale by its two ends; what comes of it stands under them. */
export function ScaleEditor({ sync, id, kind }: ScaleEditorProps) {
  const { list, tool, size, summary } = KINDS[kind];
  const [error, setError] = useState<string>();
  if (id === undefined) {
    const make = () => sync.run(tool, {}, { summary }).catch((refused: unknown) => setError(reasonOf(refused)));
    return (
      <div>
        <Button onClick={() => void make()}>{texts.create}</Button>
        {error !== undefined && <p role="alert">{error}</p>}
      </div>
    );
  }
  const read = (field: string) => sync.copy().field(itemEntity(list, id), field);
  const groupId = read("groupId");
  const steps = tokensOf(sync.copy())[kind === "type" ? "typography" : "spacing"];
  const end = (name: "min" | "max") => read(name) as { size: number; scaleRatio: number } | undefined;
  const set = (values: object) => sync.run(tool, { groupId, ...values }, { summary });
  return (
    <>
      <div className={styles.ends}>
        {(["min", "max"] as const).map((name) => (
          <fieldset key={name}>
            <legend>{name === "min" ? texts.narrow : texts.wide}</legend>
            <NumberInput
              label={texts.base}
              value={end(name)?.size}
              onSet={(value) => set({ [name]: { [size]: value } })}
            />
            <NumberInput
              label={texts.ratio}
              value={end(name)?.scaleRatio}
              onSet={(value) => set({ [name]: { scaleRatio: value } })}
            />
          </fieldset>
        ))}
      </div>
      <ul className={styles.steps}>
        {steps.map((step) => (
          <li key={step.ref}>
            <code>{step.name}</code>
            <span>{stepSize(step)}</span>
            <Specimen kind={kind} size={step.value} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A step as it looks: two letters, or a bar of its length. */
function Specimen({ kind, size }: { kind: keyof typeof KINDS; size: string }) {
  if (kind === "type") {
    return (
      <span className={styles.letters} style={{ fontSize: size }} aria-hidden="true">
        {texts.specimen}
      </span>
    );
  }
  return <span className={styles.length} style={{ width: size }} aria-hidden="true" />;
}

interface NumberInputProps {
  label: string;
  value: number | undefined;
  onSet(value: number): Promise<unknown>;
}

function NumberInput({ label, value, onSet }: NumberInputProps) {
  const draft = useDraft({
    value: String(value ?? ""),
    check: (text) => (Number(text) > 0 ? undefined : texts.aboveZero),
    save: (text) => onSet(Number(text)),
  });
  return (
    <label className={styles.number}>
      {label}
      <span className={styles.value}>
        <input
          {...draft.field}
          inputMode="decimal"
          aria-invalid={draft.error !== undefined || undefined}
          value={draft.text}
          onChange={(event) => draft.change(event.target.value.replace(",", "."))}
        />
        {draft.error !== undefined && <span role="alert">{draft.error}</span>}
      </span>
    </label>
  );
}
