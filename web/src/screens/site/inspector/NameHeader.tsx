import { words } from "../../../glossary";
import type { Layer } from "../../../site/model";
import { select } from "../../../site/selection";
import { put, type SectionProps } from "./element";
import styles from "./Inspector.module.css";
import { useDraft } from "./use-draft";

const texts = words.inspector;

/** What the element is called, and the way to it. */
export function NameHeader({ selected }: SectionProps) {
  const { node, place } = selected;
  const draft = useDraft({
    value: node.label ?? "",
    save: (text) => put(selected, "label", text.trim() || null, texts.summaries.name),
  });
  return (
    <header className={styles.head}>
      <nav aria-label={texts.path}>
        <ol className={styles.path}>
          {node.path.map((above) => (
            <li key={above.id}>
              <button type="button" onClick={() => select({ body: place.body, node: above.id })}>
                {nameOf(above)}
              </button>
            </li>
          ))}
          <li aria-current="true">{nameOf(node)}</li>
        </ol>
      </nav>
      <label className={styles.nameField}>
        <span className="visually-hidden">{texts.name}</span>
        <input
          {...draft.field}
          className={styles.input}
          placeholder={nameOf({ ...node, name: node.label === null ? node.name : (node.tag ?? node.kind) })}
          value={draft.text}
          onChange={(event) => draft.change(event.target.value)}
        />
      </label>
    </header>
  );
}

/** With a capital, as at the beginning of a line. */
function nameOf({ name }: Layer): string {
  return name.charAt(0).toLocaleUpperCase() + name.slice(1);
}
