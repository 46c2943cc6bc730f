// Reads a form with the browser's own constraint checks, but says what is wrong in our words and beside the field.
import type { FieldErrors } from "../api/problem";
import { words } from "../glossary";

export interface FormValues {
  text(name: string): string;
  list(name: string): string[];
}

/** A rule the browser does not know: the sentence to show, or nothing when the value is fine. */
export type FieldCheck = (name: string, value: string) => string | undefined;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function readForm(form: HTMLFormElement, check?: FieldCheck): { values: FormValues; errors: FieldErrors } {
  const data = new FormData(form);
  const errors: Record<string, string> = {};
  for (const element of form.elements) {
    if (!isControl(element) || element.name === "") continue;
    const message = builtIn(element) ?? check?.(element.name, element.value);
    if (message !== undefined) errors[element.name] ??= message;
  }
  const values: FormValues = {
    text(name) {
      const value = data.get(name);
      // A password may begin or end with a space on purpose; every other field is better without.
      return typeof value === "string" ? (isPassword(form, name) ? value : value.trim()) : "";
    },
    list: (name) => data.getAll(name).filter((value) => typeof value === "string"),
  };
  return { values, errors };
}

function isControl(element: Element): element is Control {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  );
}

function isPassword(form: HTMLFormElement, name: string): boolean {
  const element = form.elements.namedItem(name);
  return element instanceof HTMLInputElement && element.autocomplete.endsWith("-password");
}

function builtIn(control: Control): string | undefined {
  if (control.required && control.value.trim() === "") return words.form.required;
  if (control.validity.typeMismatch && control.type === "email") return words.form.email;
  return undefined;
}
