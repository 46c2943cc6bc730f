import { type FormEvent, useRef, useState } from "react";
import { words } from "../../../glossary";
import { Icon } from "../../../parts/icon/Icon";
import { reasonOf, type SectionProps } from "./element";
import styles from "./Inspector.module.css";
import { Row } from "./Row";

const texts = words.inspector;

/** The classes of the element, each of which brings styles from the site's stylesheets. */
export function ClassSection({ selected }: SectionProps) {
  const { sync, place, node } = selected;
  const [name, setName] = useState("");
  const [error, setError] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const classes = (node.classes ?? "").split(/\s+/).filter((one) => one !== "");

  async function change(tool: "assignClass" | "removeClass", classId: string): Promise<void> {
    setError(undefined);
    try {
      await sync.run(tool, { nodeId: place.node, classId }, { summary: texts.summaries.classes });
      if (tool === "assignClass") setName("");
      // The chip that had the focus is gone.
      field.current?.focus();
    } catch (refused) {
      setError(reasonOf(refused));
    }
  }

  function add(event: FormEvent) {
    event.preventDefault();
    const wanted = name.trim().replace(/^\./, "");
    if (wanted === "" || /\s/.test(wanted)) setError(texts.badClass);
    else void change("assignClass", wanted);
  }

  return (
    <form className={styles.classes} onSubmit={add}>
      <ul className={styles.chips}>
        {classes.map((one) => (
          <li key={one}>
            <span>{one}</span>
            <button type="button" aria-label={texts.removeClass(one)} onClick={() => void change("removeClass", one)}>
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <Row label={texts.addClass} over error={error}>
        {(ids) => (
          <span className={styles.adder}>
            <input
              {...ids}
              ref={field}
              className={styles.input}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <button type="submit" className={styles.small}>
              {texts.add}
            </button>
          </span>
        )}
      </Row>
    </form>
  );
}
