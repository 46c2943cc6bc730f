import { useRef, useState } from "react";
import { words } from "../../../glossary";
import styles from "./Layers.module.css";

interface NameFieldProps {
  name: string;
  save(name: string): void;
  leave(): void;
}

/** A new name, written where the old one stands. Enter and leaving keep it, Escape does not. */
export function NameField({ name, save, leave }: NameFieldProps) {
  const [text, setText] = useState(name);
  const done = useRef(false);
  function end(keep: boolean) {
    if (done.current) return;
    done.current = true;
    if (keep && text.trim() !== name) save(text.trim());
    leave();
  }
  return (
    <input
      className={styles.name}
      aria-label={words.editor.rename(name)}
      value={text}
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to write here.
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => end(true)}
      onPointerDown={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") end(true);
        if (event.key === "Escape") end(false);
      }}
    />
  );
}
