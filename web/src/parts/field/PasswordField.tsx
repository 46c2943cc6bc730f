import { useState } from "react";
import { PASSWORD_MIN, passwordLength } from "../../forms/password-rule";
import { words } from "../../glossary";
import { IconButton } from "../button/Button";
import { FieldShell, useFieldIds } from "./Field";
import styles from "./Field.module.css";

interface PasswordFieldProps {
  label: string;
  name: string;
  error?: string;
  /** A new password shows how long it is; a known one does not. */
  purpose: "new" | "current";
}

export function PasswordField({ label, name, error, purpose }: PasswordFieldProps) {
  const [shown, setShown] = useState(false);
  const [length, setLength] = useState(0);
  const hint = purpose === "new" ? <Length length={length} /> : undefined;
  const ids = useFieldIds(hint, error);
  return (
    <FieldShell label={label} hint={hint} error={error} ids={ids}>
      <div className={styles.withButton}>
        <input
          {...ids.control}
          className={styles.input}
          name={name}
          type={shown ? "text" : "password"}
          autoComplete={`${purpose}-password`}
          autoCapitalize="none"
          spellCheck={false}
          required
          onChange={(event) => setLength(passwordLength(event.target.value))}
        />
        <IconButton
          label={shown ? words.password.hide : words.password.show}
          icon={shown ? "eyeOff" : "eye"}
          onClick={() => setShown(!shown)}
        />
      </div>
    </FieldShell>
  );
}

const STEPS = Array.from({ length: PASSWORD_MIN }, (_, index) => index);

function Length({ length }: { length: number }) {
  return (
    <>
      <div className={styles.steps} data-full={length >= PASSWORD_MIN} aria-hidden="true">
        {STEPS.map((step) => (
          <span key={step} data-on={step < length} />
        ))}
      </div>
      {words.password.progress(length, PASSWORD_MIN)}
    </>
  );
}
