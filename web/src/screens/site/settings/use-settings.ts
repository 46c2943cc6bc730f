// A form over settings of the page or the site: what differs is saved by one tool as one change, and each refusal stands beside the
// field it is about.
import { type FormEvent, useState } from "react";
import { ToolRefusal } from "../../../site/needs";
import { reasonOf } from "../inspector/element";

export interface SettingsForm<T> {
  values: T;
  errors: Readonly<Record<string, string>>;
  /** What went wrong as a whole. */
  problem: string | undefined;
  pending: boolean;
  /** Whether something differs from what is saved. */
  isChanged: boolean;
  set<K extends keyof T>(name: K, value: T[K]): void;
  onSubmit(event: FormEvent): void;
}

/** `save` is given what differs from the beginning; nothing is saved when nothing does. */
export function useSettings<T extends object>(
  begin: () => T,
  save: (changed: Partial<T>) => Promise<unknown>,
  onSaved: () => void,
): SettingsForm<T> {
  const [first] = useState(begin);
  const [values, setValues] = useState(first);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [pending, setPending] = useState(false);

  const names = Object.keys(values) as (keyof T)[];
  const changedNames = names.filter((name) => values[name] !== first[name]);

  async function submit(form: HTMLFormElement): Promise<void> {
    const changed = Object.fromEntries(changedNames.map((name) => [name, values[name]])) as Partial<T>;
    setErrors({});
    setProblem(undefined);
    setPending(true);
    try {
      if (changedNames.length > 0) await save(changed);
      onSaved();
    } catch (refused) {
      const found = refused instanceof ToolRefusal ? refused.fieldErrors : {};
      setErrors(found);
      const field = [...form.elements].find((element) => found[element.getAttribute("name") ?? ""] !== undefined);
      if (field instanceof HTMLElement) field.focus();
      else setProblem(reasonOf(refused));
    } finally {
      setPending(false);
    }
  }

  return {
    values,
    errors,
    problem,
    pending,
    isChanged: changedNames.length > 0,
    set: (name, value) => setValues((current) => ({ ...current, [name]: value })),
    onSubmit(event) {
      event.preventDefault();
      if (!pending) void submit(event.currentTarget as HTMLFormElement);
    },
  };
}
