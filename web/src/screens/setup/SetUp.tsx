import { Redirect } from "wouter";
import { session } from "../../app-state";
import { passwordProblem } from "../../forms/password-rule";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { useSubmit } from "../../hooks/use-submit";
import { Button, ButtonLink } from "../../parts/button/Button";
import { Field } from "../../parts/field/Field";
import { PasswordField } from "../../parts/field/PasswordField";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import { Door } from "../door/Door";
import door from "../door/Door.module.css";
import { useLinkToken } from "../door/link-token";
import { chosenStarter, Starters } from "./Starters";

export function SetUp() {
  const { setupRequired, signedIn, signInBlocked } = useSession();
  const token = useLinkToken();
  if (signedIn) return <Redirect to="/" replace />;
  if (!setupRequired) return <AlreadySetUp />;
  if (signInBlocked) {
    return (
      <Door title={words.pages.setup}>
        <Note tone="caution">{signInBlocked}</Note>
      </Door>
    );
  }
  return token === undefined ? <LinkNeeded /> : <SetUpForm token={token} />;
}

function SetUpForm({ token }: { token: string }) {
  const form = useSubmit(
    (values) =>
      session.setUp({
        token,
        siteName: values.text("siteName"),
        name: values.text("name"),
        email: values.text("email"),
        password: values.text("password"),
        firstSite: chosenStarter(values.text("firstSite")),
      }),
    (name, value) => (name === "password" ? passwordProblem(value) : undefined),
  );
  return (
    <Door title={words.pages.setup} intro="Name your site and create your account. You’ll be the owner.">
      <form className={door.form} onSubmit={form.onSubmit} noValidate>
        <Field label="Site name" name="siteName" required maxLength={100} error={form.errors.siteName} />
        <Field label="Your name" name="name" required autoComplete="name" maxLength={100} error={form.errors.name} />
        <Field label="Email" name="email" type="email" required autoComplete="username" error={form.errors.email} />
        <PasswordField label="Password" name="password" purpose="new" error={form.errors.password} />
        <Starters />
        <ProblemNote problem={form.problem} />
        <Button look="primary" type="submit" wide busy={form.pending}>
          Create the site
        </Button>
      </form>
    </Door>
  );
}

function LinkNeeded() {
  return (
    <Door
      title={words.pages.setup}
      intro="To prove that this installation is yours, open the one-time link that was printed when you started Sitewright."
    >
      <div>
        <p>No link? Print a new one in a terminal on the server:</p>
        <code className={door.command}>sitewright setup --link</code>
      </div>
    </Door>
  );
}

function AlreadySetUp() {
  return (
    <Door
      title="Already set up"
      intro="This setup link has been used or has expired. The site already has an owner. Sign in with your account instead."
    >
      <ButtonLink look="primary" href="/sign-in">
        {words.actions.signIn}
      </ButtonLink>
    </Door>
  );
}
