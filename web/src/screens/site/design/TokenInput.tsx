import { useDraft } from "../inspector/use-draft";
import styles from "./Design.module.css";

interface TokenInputProps {
  label: string;
  value: string;
  placeholder?: string;
  /** Why a text cannot be taken; nothing when it can. */
  check?(text: string): string | undefined;
  /** Whether it is saved in a pause of writing too. */
  autosave?: boolean;
  onSet(value: string): Promise<unknown>;
}

/** One value of a token. It is saved after a pause, and a refusal stands below it. */
export function TokenInput({ label, value, placeholder, check, autosave, onSet }: TokenInputProps) {
  const draft = useDraft({
    value,
    autosave,
    check: check && ((text) => check(text.trim())),
    save: (text) => onSet(text.trim()),
  });
  return (
    <span className={styles.value}>
      <input
        {...draft.field}
        aria-label={label}
        aria-invalid={draft.error !== undefined || undefined}
        placeholder={placeholder}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={draft.text}
        onChange={(event) => draft.change(event.target.value)}
      />
      {draft.error !== undefined && <span role="alert">{draft.error}</span>}
    </span>
  );
}
