import { useEffect, useId, useRef, useState } from "react";
import { words } from "../../glossary";
import { Button } from "../button/Button";
import styles from "./Copyable.module.css";

/** A text that is meant to be taken elsewhere. It can also be selected by hand where the clipboard is not allowed. */
export function Copyable({ label, value }: { label: string; value: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);

  // It appears in the place of the form that made it, so the focus would otherwise be lost.
  useEffect(() => field.current?.focus(), []);

  function copy() {
    if (field.current) selectAll(field.current);
    // Plain http off loopback has no clipboard; the text is selected then, ready for the keyboard.
    navigator.clipboard?.writeText(value).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  }

  return (
    <div className={styles.copyable}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.row}>
        <input ref={field} id={id} readOnly value={value} onFocus={(event) => selectAll(event.target)} />
        <Button look="primary" icon={copied ? "check" : "copy"} onClick={copy}>
          {copied ? words.actions.copied : words.actions.copy}
        </Button>
      </div>
      <span role="status" className="visually-hidden">
        {copied ? words.actions.copied : ""}
      </span>
    </div>
  );
}

/** Selects the whole text and shows its beginning, where an address says what it is. */
function selectAll(field: HTMLInputElement): void {
  field.setSelectionRange(0, field.value.length, "backward");
  field.scrollLeft = 0;
}
