import { useId } from "react";
import styles from "./Segments.module.css";

interface SegmentsProps<T extends string> {
  title: string;
  options: readonly { value: T; label: string }[];
  chosen: T;
  onChoose(value: T): void;
}

/** A choice of a few that are all in sight, such as a range of time. */
export function Segments<T extends string>({ title, options, chosen, onChoose }: SegmentsProps<T>) {
  const group = useId();
  return (
    <fieldset className={styles.segments}>
      <legend className="visually-hidden">{title}</legend>
      {options.map(({ value, label }) => (
        <label key={value}>
          <input type="radio" name={group} value={value} checked={chosen === value} onChange={() => onChoose(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
