import { words } from "../../glossary";
import type { Field } from "../../schema/shape";
import { visible } from "../../words/visible-text";
import styles from "./Tools.module.css";

interface SchemaViewProps {
  field: Field;
  schema: unknown;
  /** The word for a field that cannot be missing. */
  sure: string;
}

/** A schema as a list of fields, with the schema itself for whoever wants it. */
export function SchemaView({ field, schema, sure }: SchemaViewProps) {
  const fields = field.shape.kind === "group" ? field.shape.fields : [field];
  return (
    <>
      {fields.length === 0 ? <p>{words.tools.takesNothing}</p> : <FieldList fields={fields} sure={sure} />}
      <details className={styles.raw}>
        <summary>{words.tools.raw}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <pre tabIndex={0}>{JSON.stringify(schema, null, 2)}</pre>
      </details>
    </>
  );
}

function FieldList({ fields, sure }: { fields: readonly Field[]; sure: string }) {
  return (
    <ul className={styles.fields}>
      {fields.map((field) => (
        <li key={field.name}>
          <FieldLine field={field} sure={sure} />
          <Inner field={field} sure={sure} />
        </li>
      ))}
    </ul>
  );
}

function FieldLine({ field, sure }: { field: Field; sure: string }) {
  const { name, type, required, limits, description } = field;
  return (
    <>
      <p className={styles.fieldLine}>
        {name !== "" && <code>{visible(name)}</code>} <span>{type}</span>{" "}
        {required && name !== "" && <strong>{sure}</strong>}
      </p>
      {description !== "" && <p className={styles.fieldAbout}>{visible(description)}</p>}
      {limits.length > 0 && <p className={styles.fieldLimits}>{visible(limits.join(" · "))}</p>}
    </>
  );
}

function Inner({ field: { shape }, sure }: { field: Field; sure: string }) {
  if (shape.kind === "group") return <FieldList fields={shape.fields} sure={sure} />;
  if (shape.kind === "list") {
    return shape.item.shape.kind === "group" ? <FieldList fields={shape.item.shape.fields} sure={sure} /> : null;
  }
  return null;
}
