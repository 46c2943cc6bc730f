import { useState } from "react";
import type { ContentField, Entry } from "../../api/content-api";
import type { FieldErrors } from "../../api/problem";
import { words } from "../../glossary";
import { Checkbox } from "../../parts/choice/Choice";
import { Field, Select, TextArea } from "../../parts/field/Field";
import { inputName, localTime, shownValue, slugOf } from "./entry-values";

const said = words.content;

/** What every entry has. A new one gets its address from its title until somebody writes another. */
export function OwnFields({ entry, errors }: { entry?: Entry; errors: FieldErrors }) {
  const [slug, setSlug] = useState(entry?.slug ?? "");
  const [isOwn, setIsOwn] = useState(entry !== undefined);
  return (
    <>
      <Field
        label={said.titleField}
        name="title"
        required
        maxLength={200}
        defaultValue={entry?.title}
        onChange={(event) => !isOwn && setSlug(slugOf(event.target.value))}
        error={errors.title}
      />
      <Field
        label={said.slug}
        name="slug"
        required
        value={slug}
        onChange={(event) => {
          setIsOwn(true);
          setSlug(event.target.value);
        }}
        hint={said.slugHint}
        error={errors.slug}
      />
      {entry !== undefined && (
        <>
          <Field
            label={said.publishAt}
            name="publishAt"
            type="datetime-local"
            defaultValue={localTime(entry.publishAt)}
            hint={said.publishAtHint}
            error={errors.publishAt}
          />
          <Field
            label={said.unpublishAt}
            name="unpublishAt"
            type="datetime-local"
            defaultValue={localTime(entry.unpublishAt)}
            error={errors.unpublishAt}
          />
        </>
      )}
    </>
  );
}

interface ContentFieldsProps {
  fields: readonly ContentField[];
  content: Readonly<Record<string, unknown>>;
  errors: FieldErrors;
}

/** The fields of the collection, each as its kind asks for. */
export function ContentFields({ fields, content, errors }: ContentFieldsProps) {
  return fields.map((field) => (
    <ContentInput key={field.name} field={field} value={content[field.name]} error={errors[inputName(field)]} />
  ));
}

interface ContentInputProps {
  field: ContentField;
  value: unknown;
  error: string | undefined;
}

function ContentInput({ field, value, error }: ContentInputProps) {
  const { kind } = field;
  const label = field.label === undefined || field.label === "" ? field.name : field.label;
  const shared = { label, name: inputName(field), defaultValue: shownValue(field, value), error };
  switch (kind.type) {
    case "richText":
      return <TextArea {...shared} rows={14} hint={said.markdown} />;
    case "json":
    case "group":
    case "repeater":
      return <TextArea {...shared} rows={6} hint={said.jsonHint} spellCheck={false} />;
    case "boolean":
      return <Checkbox label={label} name={shared.name} value="yes" defaultChecked={value === true} />;
    case "choice":
      return (
        <Select {...shared}>
          <option value="">–</option>
          {kind.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      );
    case "number":
      return <Field {...shared} type="number" step="any" />;
    case "references":
      return <Field {...shared} hint={said.referencesHint} />;
    case "reference":
      return <Field {...shared} hint={said.referenceHint} />;
    case "media":
      return <Field {...shared} hint={said.mediaHint} />;
    case "date":
      return <Field {...shared} placeholder="2026-03-31" />;
    case "text":
    case "slug":
      return <Field {...shared} />;
  }
}
