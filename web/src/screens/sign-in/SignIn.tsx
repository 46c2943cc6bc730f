import { useState } from "react";
import { Redirect, useSearch } from "wouter";
import { provePasskey, supportsPasskeys } from "../../access/passkey";
import { returnPath } from "../../access/return-path";
import { api, session } from "../../app-state";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useSessionState } from "../../hooks/use-session";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Field } from "../../parts/field/Field";
import { PasswordField } from "../../parts/field/PasswordField";
import { Or } from "../../parts/or/Or";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import { Door } from "../door/Door";
import door from "../door/Door.module.css";
import { SecondStep } from "./SecondStep";

export function SignIn() {
  const state = useSessionState();
  const search = useSearch();
  const [ticket, setTicket] = useState<string>();
  if (state.phase !== "ready") return null;
  if (state.session.setupRequired) return <Redirect to="/setup" replace />;
  if (state.session.signedIn) return <Redirect to={returnPath(search)} replace />;
  if (ticket !== undefined) return <SecondStep ticket={ticket} onBack={() => setTicket(undefined)} />;
  return (
    <Door title={words.pages.signIn} site={state.session.publicSiteName}>
      {state.ended === "expired" && <Note tone="calm">{words.session.expired}</Note>}
      {state.ended === "signed-out" && <Note tone="calm">{words.session.signedOut}</Note>}
      {state.session.signInBlocked ? (
        <Note tone="caution">{state.session.signInBlocked}</Note>
      ) : (
        <>
          <SignInForm onSecondStep={setTicket} />
          {!state.session.passkeysBlocked && supportsPasskeys() && <PasskeyButton />}
          <p className={door.help}>{words.session.forgotten}</p>
        </>
      )}
    </Door>
  );
}

function SignInForm({ onSecondStep }: { onSecondStep(ticket: string | undefined): void }) {
  const form = useSubmit(async (values) => {
    onSecondStep(await session.signIn({ email: values.text("email"), password: values.text("password") }));
  });
  return (
    <form className={door.form} onSubmit={form.onSubmit} noValidate>
      <Field label="Email" name="email" type="email" required autoComplete="username" error={form.errors.email} />
      <PasswordField label="Password" name="password" purpose="current" error={form.errors.password} />
      <ProblemNote problem={form.problem} />
      <Button look="primary" type="submit" wide busy={form.pending}>
        {words.actions.signIn}
      </Button>
    </form>
  );
}

function PasskeyButton() {
  const proving = useAction(async () => {
    const { ticket, options } = await api.startPasskeyProof();
    await session.signInWithPasskey({ ticket, credential: await provePasskey(options) });
  });
  return (
    <>
      <Or />
      <Button icon="key" wide busy={proving.pending} onClick={() => proving.run()}>
        {words.account.passkey.signIn}
      </Button>
      <ProblemNote problem={proving.problem} />
    </>
  );
}
