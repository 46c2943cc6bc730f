import { words } from "../../glossary";
import { Button, IconButton } from "../../parts/button/Button";
import { Checkbox } from "../../parts/choice/Choice";
import { Field as InputField, Select, TextArea } from "../../parts/field/Field";
import { type Draft, type Errors, emptyDraft, escaped, partOf } from "../../schema/draft";
import type { Field } from "../../schema/shape";
import { visible } from "../../words/visible-text";
import styles from "./Tools.module.css";

interface SchemaFormProps {
  field: Field;
  draft: Draft;
  /** Where the field is in the whole, as a JSON Pointer. */
  pointer: string;
  errors: Errors;
  onChange(draft: Draft): void;
}

/** Inputs for what a schema asks for, down to the last field. */
export function SchemaForm({ field, draft, pointer, errors, onChange }: SchemaFormProps) {
  const { shape } = field;
  if (shape.kind === "group") {
    const parts = shape.fields.map((part) => (
      <SchemaForm
        key={part.name}
        field={part}
        draft={partOf(draft, part.name)}
        pointer={`${pointer}/${escaped(part.name)}`}
        errors={errors}
        onChange={(value) => onChange({ ...asGroup(draft), [part.name]: value })}
      />
    ));
    if (field.name === "" && pointer === "") return <div className={styles.form}>{parts}</div>;
    return (
      <fieldset className={styles.group}>
        <legend>{labelOf(field)}</legend>
        {field.description !== "" && <p className={styles.fieldAbout}>{visible(field.description)}</p>}
        {parts}
        <Wrong message={errors[pointer]} />
      </fieldset>
    );
  }
  if (shape.kind === "list") {
    return <ListInput field={field} item={shape.item} {...{ draft, pointer, errors, onChange }} />;
  }
  return <PlainInput field={field} draft={draft} error={errors[pointer]} onChange={onChange} />;
}

interface PlainInputProps {
  field: Field;
  draft: Draft;
  error: string | undefined;
  onChange(draft: Draft): void;
}

function PlainInput({ field, draft, error, onChange }: PlainInputProps) {
  const { shape, required } = field;
  const label = labelOf(field);
  const hint = hintOf(field);
  const text = typeof draft === "string" ? draft : "";
  if (shape.kind === "boolean" && required) {
    return <Checkbox label={label} checked={draft === true} onChange={(event) => onChange(event.target.checked)} />;
  }
  if (shape.kind === "boolean" || shape.kind === "choice") {
    const options =
      shape.kind === "choice"
        ? shape.options.map((option, index) => ({ value: String(index), label: option.label }))
        : [
            { value: "true", label: words.schema.yes },
            { value: "false", label: words.schema.no },
          ];
    return (
      <Select
        label={label}
        hint={hint}
        error={error}
        value={text}
        onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
      >
        <option value="">{words.schema.notChosen}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
    );
  }
  if (shape.kind === "json" || (shape.kind === "text" && shape.long)) {
    return (
      <TextArea
        label={label}
        hint={hint}
        error={error}
        rows={4}
        spellCheck={shape.kind === "text"}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <InputField
      label={label}
      hint={hint}
      error={error}
      value={text}
      autoComplete="off"
      inputMode={shape.kind === "number" ? "decimal" : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function ListInput({ field, item, draft, pointer, errors, onChange }: SchemaFormProps & { item: Field }) {
  const items: readonly Draft[] = Array.isArray(draft) ? draft : [];
  const change = (index: number, value: Draft) => onChange(items.map((old, at) => (at === index ? value : old)));
  return (
    <fieldset className={styles.group}>
      <legend>{labelOf(field)}</legend>
      {hintOf(field) !== undefined && <p className={styles.fieldAbout}>{hintOf(field)}</p>}
      {items.map((value, index) => {
        const position = index + 1;
        return (
          <div key={index} className={styles.item}>
            <SchemaForm
              field={{ ...item, name: String(position) }}
              draft={value}
              pointer={`${pointer}/${index}`}
              errors={errors}
              onChange={(changed) => change(index, changed)}
            />
            <IconButton
              label={`${words.tools.removeItem(position)} (${field.name})`}
              icon="close"
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            />
          </div>
        );
      })}
      <Wrong message={errors[pointer]} />
      <div>
        <Button icon="plus" onClick={() => onChange([...items, emptyDraft(item)])}>
          {words.tools.addItem}
          <span className="visually-hidden"> ({field.name})</span>
        </Button>
      </div>
    </fieldset>
  );
}

function Wrong({ message }: { message: string | undefined }) {
  return message === undefined ? null : <p className={styles.wrong}>{message}</p>;
}

function labelOf({ name, required }: Field): string {
  return required ? visible(name) : `${visible(name)} (optional)`;
}

function hintOf({ description, limits }: Field): string | undefined {
  const text = [description, limits.join(" · ")].filter((part) => part !== "").join(" ");
  return text === "" ? undefined : visible(text);
}

function asGroup(draft: Draft): { readonly [name: string]: Draft } {
  return typeof draft === "object" && !Array.isArray(draft) ? (draft as { readonly [name: string]: Draft }) : {};
}
