import { useState } from "react";
import { Redirect, useLocation } from "wouter";
import { session } from "../../app-state";
import { passwordProblem } from "../../forms/password-rule";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { useSubmit } from "../../hooks/use-submit";
import { Button, ButtonLink } from "../../parts/button/Button";
import { PasswordField } from "../../parts/field/PasswordField";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import { Door } from "../door/Door";
import door from "../door/Door.module.css";
import { useLinkToken } from "../door/link-token";
import { SecondStep } from "../sign-in/SecondStep";

export function Join() {
  const { signInBlocked } = useSession();
  const token = useLinkToken();
  const [ticket, setTicket] = useState<string>();
  const [, navigate] = useLocation();
  if (token === undefined) {
    return (
      <Door
        title={words.pages.join}
        intro="This page needs the link you were given. Open the full link again, or ask the person who sent it for a new one."
      >
        <ButtonLink href="/sign-in">{words.actions.signIn}</ButtonLink>
      </Door>
    );
  }
  // The password is saved; without the code the person signs in with it as usual.
  if (ticket !== undefined) return <JoinSecondStep ticket={ticket} onBack={() => navigate("/sign-in")} />;
  return (
    <Door title={words.pages.join} intro="You’ll sign in with your email address and this password.">
      {signInBlocked ? (
        <Note tone="caution">{signInBlocked}</Note>
      ) : (
        <JoinForm token={token} onSecondStep={setTicket} />
      )}
    </Door>
  );
}

function JoinSecondStep(step: { ticket: string; onBack(): void }) {
  return useSession().signedIn ? <Redirect to="/" replace /> : <SecondStep {...step} />;
}

function JoinForm({ token, onSecondStep }: { token: string; onSecondStep(ticket: string): void }) {
  const [, navigate] = useLocation();
  const form = useSubmit(
    async (values) => {
      const ticket = await session.join({ token, password: values.text("password") });
      if (ticket === undefined) navigate("/", { replace: true });
      else onSecondStep(ticket);
    },
    (name, value) => (name === "password" ? passwordProblem(value) : undefined),
  );
  return (
    <form className={door.form} onSubmit={form.onSubmit} noValidate>
      <PasswordField label="Password" name="password" purpose="new" error={form.errors.password} />
      <ProblemNote problem={form.problem} />
      <Button look="primary" type="submit" wide busy={form.pending}>
        Save and sign in
      </Button>
    </form>
  );
}
