import { words } from "../../../glossary";
import { useDraft } from "../inspector/use-draft";
import { hexColor } from "./contrast";
import styles from "./Design.module.css";

interface ColorInputProps {
  label: string;
  value: string;
  /** Whether there may be none. */
  optional?: boolean;
  placeholder?: string;
  onSet(value: string): Promise<unknown>;
  /** Shows a colour that is being picked, before it is saved. */
  onPreview?(value: string | undefined): void;
}

/** A colour by a picker and as text. It is saved after a pause, and a refusal is told below it. */
export function ColorInput({ label, value, optional = false, placeholder, onSet, onPreview }: ColorInputProps) {
  const draft = useDraft({
    value,
    check: (text) => {
      const given = text.trim();
      if ((optional && given === "") || CSS.supports("color", given)) return undefined;
      return words.inspector.badColor(given);
    },
    save: (text) => onSet(text.trim()),
  });
  return (
    <span className={styles.colorInput}>
      <input
        type="color"
        // Browsers that know it let people choose how see-through a colour is.
        {...{ alpha: "" }}
        aria-label={words.design.colors.picker(label)}
        value={hexColor(draft.text)}
        onChange={({ target }) => {
          const picked = hexColor(target.value);
          draft.change(picked);
          onPreview?.(picked);
        }}
        onBlur={() => {
          draft.settle();
          onPreview?.(undefined);
        }}
      />
      <input
        {...draft.field}
        className={styles.text}
        aria-label={label}
        aria-invalid={draft.error !== undefined || undefined}
        placeholder={placeholder}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={draft.text}
        onChange={(event) => draft.change(event.target.value)}
      />
      {draft.error !== undefined && (
        <span className={styles.error} role="alert">
          {draft.error}
        </span>
      )}
    </span>
  );
}
