// Sending a form: its values are checked, sent once, and what is wrong is said beside the field or above the form.
import { type FormEvent, useState } from "react";
import { type ApiError, asApiError, type FieldErrors } from "../api/problem";
import { type FieldCheck, type FormValues, readForm } from "../forms/form-values";

export interface Submit {
  pending: boolean;
  /** What went wrong as a whole; absent when every message sits beside a field. */
  problem: ApiError | undefined;
  errors: FieldErrors;
  onSubmit(event: FormEvent<HTMLFormElement>): void;
}

export function useSubmit(action: (values: FormValues) => Promise<void>, check?: FieldCheck): Submit {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const [errors, setErrors] = useState<FieldErrors>({});

  async function run(form: HTMLFormElement): Promise<void> {
    const { values, errors: found } = readForm(form, check);
    setProblem(undefined);
    setErrors(found);
    if (focusFirst(form, found)) return;
    setPending(true);
    try {
      await action(values);
    } catch (thrown) {
      const error = asApiError(thrown);
      setErrors(error.fieldErrors);
      if (!focusFirst(form, error.fieldErrors)) setProblem(error);
    } finally {
      setPending(false);
    }
  }

  return {
    pending,
    problem,
    errors,
    onSubmit(event) {
      event.preventDefault();
      if (!pending) void run(event.currentTarget);
    },
  };
}

/** Puts the cursor where the first correction is needed, in the order of the form. */
function focusFirst(form: HTMLFormElement, errors: FieldErrors): boolean {
  for (const element of form.elements) {
    const name = element.getAttribute("name");
    if (name !== null && errors[name] !== undefined && element instanceof HTMLElement) {
      element.focus();
      return true;
    }
  }
  return false;
}
