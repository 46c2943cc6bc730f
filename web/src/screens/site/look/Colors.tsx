import { type FormEvent, useState } from "react";
import { words } from "../../../glossary";
import { Button, IconButton } from "../../../parts/button/Button";
import { Field } from "../../../parts/field/Field";
import type { Sync } from "../../../site/sync";
import { Swatch } from "../inspector/ColorRow";
import { reasonOf } from "../inspector/element";
import { useDraft } from "../inspector/use-draft";
import styles from "./Look.module.css";
import { itemEntity } from "./use-items";

const texts = words.look;
const ABOUT = { summary: texts.summaries.colors };

export function Colors({ sync, ids }: { sync: Sync; ids: readonly string[] }) {
  return (
    <>
      {ids.length > 0 && (
        <div className={styles.columns} aria-hidden="true">
          <span>{texts.light}</span>
          <span>{texts.dark}</span>
        </div>
      )}
      <ul className={styles.tokens}>
        {ids.map((id) => (
          <ColorToken key={id} sync={sync} id={id} />
        ))}
      </ul>
      <NewColor sync={sync} />
    </>
  );
}

function ColorToken({ sync, id }: { sync: Sync; id: string }) {
  const read = (field: string) => sync.copy().field(itemEntity("colors", id), field);
  const slug = read("slug");
  if (typeof slug !== "string") return null;
  const light = String(read("lightValue") ?? "");
  const dark = read("darkModeEnabled") === true ? String(read("darkValue") ?? "") : "";
  const set = (values: object) =>
    sync.run("set_color_tokens", { tokens: [{ slug, lightValue: light, ...values }] }, ABOUT);
  const remove = () => sync.act(texts.summaries.remove, [{ op: "remove", entity: itemEntity("colors", id) }]);
  return (
    <li className={styles.color}>
      <span className={styles.name}>
        <Swatch value={light} dark={dark || undefined} />
        {slug}
      </span>
      <ColorInput label={texts.lightOf(slug)} value={light} onSet={(lightValue) => set({ lightValue })} />
      <ColorInput
        label={texts.darkOf(slug)}
        placeholder={texts.dark}
        value={dark}
        canBeEmpty
        onSet={(value) => set(value === "" ? { darkModeEnabled: false } : { darkValue: value, darkModeEnabled: true })}
      />
      <IconButton label={texts.remove(slug)} icon="close" onClick={remove} />
    </li>
  );
}

interface ColorInputProps {
  label: string;
  value: string;
  placeholder?: string;
  canBeEmpty?: boolean;
  onSet(value: string): Promise<unknown>;
}

function ColorInput({ label, value, placeholder, canBeEmpty = false, onSet }: ColorInputProps) {
  const draft = useDraft({
    value,
    check: (text) => {
      const given = text.trim();
      return (given === "" && canBeEmpty) || CSS.supports("color", given) ? undefined : words.inspector.badColor(given);
    },
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

function NewColor({ sync }: { sync: Sync }) {
  const [name, setName] = useState("");
  const [error, setError] = useState<string>();
  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    setError(undefined);
    const slug = name.trim().toLowerCase().replace(/\s+/g, "-");
    try {
      await sync.run("set_color_tokens", { tokens: [{ slug, lightValue: "#4a6f5f" }] }, ABOUT);
      setName("");
    } catch (refused) {
      setError(reasonOf(refused));
    }
  }
  return (
    <form className={styles.adder} onSubmit={(event) => void add(event)}>
      <Field
        label={texts.newColor}
        value={name}
        error={error}
        required
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit">{texts.addColor}</Button>
    </form>
  );
}
