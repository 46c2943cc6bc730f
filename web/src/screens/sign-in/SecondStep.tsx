import { useEffect, useRef } from "react";
import { session } from "../../app-state";
import { words } from "../../glossary";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Field } from "../../parts/field/Field";
import { ProblemNote } from "../../parts/problem/Problem";
import { Door } from "../door/Door";
import door from "../door/Door.module.css";

/** The code that is asked for after the password was right. */
export function SecondStep({ ticket, onBack }: { ticket: string; onBack(): void }) {
  const form = useSubmit((values) => session.giveCode({ ticket, code: values.text("code") }));
  const page = useRef<HTMLFormElement>(null);
  // It takes the place of the form that led here, so the focus would otherwise be lost.
  useEffect(() => page.current?.querySelector("input")?.focus(), []);
  const { title, intro, field, hint, submit, back } = words.account.secondStep;
  return (
    <Door title={title} intro={intro}>
      <form ref={page} className={door.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label={field}
          name="code"
          required
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          hint={hint}
          error={form.errors.code}
        />
        <ProblemNote problem={form.problem} />
        <Button look="primary" type="submit" wide busy={form.pending}>
          {submit}
        </Button>
        <Button look="quiet" onClick={onBack}>
          {back}
        </Button>
      </form>
    </Door>
  );
}
