import { useState } from "react";
import type { ContentField } from "../../api/content-api";
import { invalid } from "../../api/problem";
import { contentApi, notices } from "../../app-state";
import type { FieldKind, ListedCollection } from "../../generated/api";
import { words } from "../../glossary";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Checkbox } from "../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field, Select, TextArea } from "../../parts/field/Field";
import { ProblemNote } from "../../parts/problem/Problem";
import settings from "../settings/Settings.module.css";

const said = words.content;

type KindName = FieldKind["type"];

/** A field in the form, with a key that stays when others are added or removed. */
interface FieldDraft extends ContentField {
  key: number;
}

interface CollectionDialogProps {
  collection: ListedCollection | undefined;
  onSaved(): void;
  onClose(): void;
}

export function CollectionDialog({ collection, onSaved, onClose }: CollectionDialogProps) {
  const [fields, setFields] = useState<readonly FieldDraft[]>(() =>
    (collection?.fields ?? []).map((field, key) => ({ ...field, key })),
  );
  const form = useSubmit(async (values) => {
    const routeBase = values.text("routeBase");
    const shared = {
      label: values.text("label"),
      slug: values.text("slug"),
      fields: fields.map(({ key, ...field }) => field),
    };
    if (fields.some(({ name }) => name.trim() === "")) throw invalid("fields", words.form.required);
    if (collection === undefined) {
      await contentApi.createCollection({ ...shared, ...(routeBase === "" ? {} : { routeBase }) });
    } else {
      await contentApi.changeCollection(collection.id, { ...shared, routeBase, version: collection.version });
    }
    notices.show(said.saved);
    onSaved();
    onClose();
  });
  const change = (key: number, patch: Partial<ContentField>) =>
    setFields((all) => all.map((field) => (field.key === key ? { ...field, ...patch } : field)));
  const add = () => {
    const key = Math.max(-1, ...fields.map((field) => field.key)) + 1;
    setFields([...fields, { key, name: "", kind: { type: "text" } }]);
  };
  return (
    <Dialog title={collection?.label ?? said.newCollection} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field label="Name" name="label" required defaultValue={collection?.label} error={form.errors.label} />
        <Field
          label="Short name"
          name="slug"
          required
          defaultValue={collection?.slug}
          hint="For tools and templates, such as “blog”."
          error={form.errors.slug}
        />
        <Field
          label="Pages begin with"
          name="routeBase"
          defaultValue={collection?.routeBase ?? ""}
          hint="Such as “/blog”. Leave empty if entries have no pages."
          error={form.errors.routeBase}
        />
        <ul className={settings.form} aria-label="Fields">
          {fields.map((field) => (
            <FieldRow
              key={field.key}
              field={field}
              onChange={(patch) => change(field.key, patch)}
              onRemove={() => setFields(fields.filter(({ key }) => key !== field.key))}
            />
          ))}
        </ul>
        <div>
          <Button icon="plus" onClick={add}>
            Add field
          </Button>
        </div>
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface FieldRowProps {
  field: ContentField;
  onChange(patch: Partial<ContentField>): void;
  onRemove(): void;
}

function FieldRow({ field, onChange, onRemove }: FieldRowProps) {
  const { name, kind } = field;
  return (
    <li className={settings.form}>
      <div className={settings.row}>
        <div className={settings.grow}>
          <Field label="Field" value={name} required onChange={(event) => onChange({ name: event.target.value })} />
        </div>
        <div className={settings.role}>
          <Select
            label="Kind"
            value={kind.type}
            onChange={(event) => onChange({ kind: newKind(event.target.value as KindName) })}
          >
            {Object.entries(said.kinds).map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </Select>
        </div>
        <Button onClick={onRemove}>
          {words.actions.remove}
          <span className="visually-hidden"> {name}</span>
        </Button>
      </div>
      {kind.type === "choice" && (
        <Field
          label="Choices"
          value={kind.options.join(", ")}
          hint="Separated by commas."
          onChange={(event) => {
            const options = event.target.value.split(",").map((option) => option.trim());
            onChange({ kind: { type: "choice", options } });
          }}
        />
      )}
      {(kind.type === "group" || kind.type === "repeater") && <InnerFields kind={kind} onChange={onChange} />}
      <Checkbox
        label="Required to publish"
        checked={field.required === true}
        onChange={(event) => onChange({ required: event.target.checked })}
      />
    </li>
  );
}

interface InnerFieldsProps {
  kind: Extract<FieldKind, { type: "group" | "repeater" }>;
  onChange(patch: Partial<ContentField>): void;
}

/** The fields of a group or a list, as the server has them: few people nest fields, and those who do know their names. */
function InnerFields({ kind, onChange }: InnerFieldsProps) {
  const [text, setText] = useState(() => JSON.stringify(kind.fields, null, 2));
  const [error, setError] = useState<string>();
  return (
    <TextArea
      label="Fields in it"
      rows={6}
      spellCheck={false}
      hint={said.jsonHint}
      value={text}
      error={error}
      onChange={(event) => {
        setText(event.target.value);
        try {
          onChange({ kind: { ...kind, fields: JSON.parse(event.target.value) } });
          setError(undefined);
        } catch {
          setError(said.badJson);
        }
      }}
    />
  );
}

function newKind(type: KindName): FieldKind {
  switch (type) {
    case "choice":
      return { type, options: [] };
    case "group":
    case "repeater":
      return { type, fields: [] };
    default:
      return { type };
  }
}
