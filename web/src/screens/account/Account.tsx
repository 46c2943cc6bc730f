import { useState } from "react";
import { api, notices, session } from "../../app-state";
import { passwordProblem } from "../../forms/password-rule";
import type { Account as AccountData } from "../../generated/api";
import { words } from "../../glossary";
import { type Resource, useResource } from "../../hooks/use-resource";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { Checkbox } from "../../parts/choice/Choice";
import { Field } from "../../parts/field/Field";
import { PasswordField } from "../../parts/field/PasswordField";
import { Loaded } from "../../parts/loading/Loading";
import { Page, Section } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { dayOf } from "../../words/time-words";
import styles from "./Account.module.css";
import { AccountNotices } from "./AccountNotices";
import { DeleteAccount } from "./DeleteAccount";
import { Devices } from "./Devices";
import { EndEverything } from "./EndEverything";
import { Passkeys } from "./Passkeys";
import { TwoStep } from "./TwoStep";

export function Account() {
  const account = useResource(api.account);
  const [passwordRound, setPasswordRound] = useState(0);
  return (
    <Page title={words.pages.account}>
      <Loaded resource={account}>
        {(value) => (
          <>
            <AccountNotices notices={value.notices} onDismissed={account.reload} />
            <Section title="About you" intro={`Account created ${dayOf(value.createdAt)}.`}>
              <NameForm account={value} resource={account} />
            </Section>
            <Section title="Password" intro="Changing it signs you out everywhere else.">
              {/* A new round is an empty form. */}
              <PasswordForm
                key={passwordRound}
                email={value.person.email}
                onChanged={() => {
                  setPasswordRound(passwordRound + 1);
                  account.reload();
                }}
              />
            </Section>
            <TwoStep factor={value.secondFactor} onChanged={account.reload} />
            <Passkeys passkeys={value.passkeys} onChanged={account.reload} />
            <Section title="Where you’re signed in" action={<EndEverything />}>
              <Devices sessions={value.sessions} onEnded={account.reload} />
            </Section>
            <DeleteAccount />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function NameForm({ account, resource }: { account: AccountData; resource: Resource<AccountData> }) {
  const form = useSubmit(async (values) => {
    const changed = await api.changeAccount({ name: values.text("name") });
    resource.replace(() => changed);
    session.rename(changed.person.name);
    notices.show("Name saved.");
  });
  return (
    <Card>
      <form className={styles.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label="Name"
          name="name"
          required
          maxLength={100}
          autoComplete="name"
          defaultValue={account.person.name}
          error={form.errors.name}
        />
        <Field label="Email" value={account.person.email} readOnly hint="The address you sign in with." />
        <ProblemNote problem={form.problem} />
        <div>
          <Button type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function PasswordForm({ email, onChanged }: { email: string; onChanged(): void }) {
  const form = useSubmit(
    async (values) => {
      await api.changePassword({
        currentPassword: values.text("currentPassword"),
        newPassword: values.text("newPassword"),
        endTokens: values.list("endTokens").length > 0,
      });
      notices.show("Password changed.");
      onChanged();
    },
    (name, value) => (name === "newPassword" ? passwordProblem(value) : undefined),
  );
  return (
    <Card>
      <form className={styles.form} onSubmit={form.onSubmit} noValidate>
        {/* Lets a password manager find the account that the new password belongs to. */}
        <input type="text" autoComplete="username" value={email} readOnly tabIndex={-1} hidden />
        <PasswordField
          label="Current password"
          name="currentPassword"
          purpose="current"
          error={form.errors.currentPassword}
        />
        <PasswordField label="New password" name="newPassword" purpose="new" error={form.errors.newPassword} />
        <Checkbox name="endTokens" value="yes" defaultChecked label="Also revoke my API tokens" />
        <ProblemNote problem={form.problem} />
        <div>
          <Button type="submit" busy={form.pending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
