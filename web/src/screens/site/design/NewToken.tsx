import { type FormEvent, useState } from "react";
import { Button } from "../../../parts/button/Button";
import { Field } from "../../../parts/field/Field";
import { reasonOf } from "../inspector/element";
import styles from "./Design.module.css";

interface NewTokenProps {
  label: string;
  action: string;
  onAdd(name: string): Promise<unknown>;
}

/** Adds a token by its name; a refusal stands beside the field. */
export function NewToken({ label, action, onAdd }: NewTokenProps) {
  const [name, setName] = useState("");
  const [error, setError] = useState<string>();
  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    setError(undefined);
    try {
      await onAdd(name.trim());
      setName("");
    } catch (refused) {
      setError(reasonOf(refused));
    }
  }
  return (
    <form className={styles.adder} onSubmit={(event) => void add(event)}>
      <Field
        label={label}
        value={name}
        error={error}
        required
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit">{action}</Button>
    </form>
  );
}
