import { words } from "../../../glossary";
import { origin, type Selected, setOwn } from "./element";
import styles from "./Inspector.module.css";

const texts = words.design.origin;

interface OriginNoteProps {
  selected: Selected;
  property: string;
  label: string;
}

/** Under a label: where the value comes from, or the way back to that when it is set here. */
export function OriginNote({ selected, property, label }: OriginNoteProps) {
  const from = origin(selected, property);
  if (from === undefined) return null;
  if (from.kind !== "here") {
    return (
      <small className={styles.origin} data-origin={from.kind} title={from.sentence}>
        {from.text}
      </small>
    );
  }
  return (
    <button
      type="button"
      className={styles.origin}
      data-origin="here"
      title={from.sentence}
      aria-label={texts.resetWhat(label)}
      onClick={() => void setOwn(selected, { [property]: undefined }, label)}
    >
      {texts.reset}
    </button>
  );
}
