import { words } from "../../../glossary";
import type { SectionProps } from "./element";
import styles from "./Inspector.module.css";
import { SizeRow } from "./SizeField";

const texts = words.design.size;
const SIZES = [
  ["width", texts.width],
  ["height", texts.height],
  ["min-width", texts.minWidth],
  ["max-width", texts.maxWidth],
  ["min-height", texts.minHeight],
  ["max-height", texts.maxHeight],
] as const;

/** How large the element is, and may become. */
export function SizeSection({ selected }: SectionProps) {
  return (
    <div className={styles.pairs}>
      {SIZES.map(([property, label]) => (
        <SizeRow
          key={property}
          selected={selected}
          property={property}
          label={label}
          steps={selected.tokens.spacing}
          over
        />
      ))}
    </div>
  );
}
