import { words } from "../../../glossary";
import { own, type SectionProps, setOwn } from "./element";
import styles from "./Inspector.module.css";
import { OriginNote } from "./OriginNote";
import { Row } from "./Row";

interface ChoiceRowProps extends SectionProps {
  property: string;
  label: string;
  /** The values of CSS with their names. */
  options: Readonly<Record<string, string>>;
  /** The name of what is in force, where the computed value is spelled differently. */
  inForce?(computed: string): string | undefined;
}

/** A property with a few values; what is in force is named while nothing is set. */
export function ChoiceRow({ selected, property, label, options, inForce }: ChoiceRowProps) {
  const said = own(selected, property) ?? "";
  const computed = selected.inForce.value(property);
  const current = inForce?.(computed) ?? options[computed] ?? computed;
  const isOther = said !== "" && options[said] === undefined;
  return (
    <Row label={label} origin={<OriginNote selected={selected} property={property} label={label} />}>
      {(ids) => (
        <select
          {...ids}
          className={styles.select}
          data-own={said !== ""}
          value={said}
          onChange={(event) => void setOwn(selected, { [property]: event.target.value || undefined }, label)}
        >
          <option value="">{current === "" ? words.inspector.asInherited : current}</option>
          {Object.entries(options).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          {isOther && <option value={said}>{words.inspector.otherValue(said)}</option>}
        </select>
      )}
    </Row>
  );
}
