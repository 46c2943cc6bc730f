import { type FormEvent, useState } from "react";
import { words } from "../../../glossary";
import { Button, IconButton } from "../../../parts/button/Button";
import { Field } from "../../../parts/field/Field";
import type { Sync } from "../../../site/sync";
import { reasonOf } from "../inspector/element";
import { useDraft } from "../inspector/use-draft";
import styles from "./Look.module.css";
import { itemEntity } from "./use-items";

const texts = words.look;
const ABOUT = { summary: texts.summaries.fonts };

export function Fonts({ sync, ids }: { sync: Sync; ids: readonly string[] }) {
  return (
    <>
      <ul className={styles.tokens}>
        {ids.map((id) => (
          <FontToken key={id} sync={sync} id={id} />
        ))}
      </ul>
      {ids.length > 0 && <p className={styles.hint}>{texts.familyHint}</p>}
      <NewFont sync={sync} />
    </>
  );
}

function FontToken({ sync, id }: { sync: Sync; id: string }) {
  const entity = itemEntity("fonts", id);
  const read = (field: string) => sync.copy().field(entity, field);
  const name = read("name");
  if (typeof name !== "string") return null;
  const variable = String(read("variable") ?? "");
  const set = (values: object) => sync.run("set_font_tokens", { tokens: [{ name, variable, ...values }] }, ABOUT);
  const setFamily = async (googleFamily: string) => {
    // Without a family only what stands in is left, which no tool says.
    if (googleFamily === "") sync.act(ABOUT.summary, [{ op: "put", entity, field: "family", value: null }]);
    else await set({ googleFamily });
  };
  const remove = () => sync.act(texts.summaries.remove, [{ op: "remove", entity }]);
  return (
    <li className={styles.color}>
      <span className={styles.name}>{name}</span>
      <TextInput
        label={texts.familyOf(name)}
        placeholder={texts.family}
        value={String(read("family") ?? "")}
        onSet={setFamily}
      />
      <TextInput
        label={texts.fallbackOf(name)}
        placeholder={texts.fallback}
        value={String(read("fallback") ?? "")}
        onSet={(fallback) => set({ fallback })}
      />
      <IconButton label={texts.remove(name)} icon="close" onClick={remove} />
    </li>
  );
}

interface TextInputProps {
  label: string;
  placeholder: string;
  value: string;
  onSet(value: string): Promise<unknown>;
}

function TextInput({ label, placeholder, value, onSet }: TextInputProps) {
  const draft = useDraft({ value, save: (text) => onSet(text.trim()) });
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

function NewFont({ sync }: { sync: Sync }) {
  const [name, setName] = useState("");
  const [error, setError] = useState<string>();
  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    setError(undefined);
    try {
      const token = { name: name.trim(), fallback: "system-ui, sans-serif" };
      await sync.run("set_font_tokens", { tokens: [token] }, ABOUT);
      setName("");
    } catch (refused) {
      setError(reasonOf(refused));
    }
  }
  return (
    <form className={styles.adder} onSubmit={(event) => void add(event)}>
      <Field
        label={texts.newFont}
        value={name}
        error={error}
        required
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit">{texts.addFont}</Button>
    </form>
  );
}
