import { ApiError } from "../../../api/problem";
import { notices, session, siteApi, toolsApi } from "../../../app-state";
import type { SiteSettings as Settings } from "../../../generated/site";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { useSubmit } from "../../../hooks/use-submit";
import { Button, ButtonLink } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { Checkbox } from "../../../parts/choice/Choice";
import { Field } from "../../../parts/field/Field";
import { Loaded } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../Settings.module.css";

type SiteFacts = Pick<Settings, "name" | "language" | "titlePattern" | "discourageSearchEngines">;

/** What counts for the whole site. It is part of the draft like every page, and visitors see it after publishing. */
export function SiteSettings() {
  const facts = useResource(readFacts);
  return (
    <Page
      title={words.pages.siteSettings}
      intro="Settings for the whole site. Visitors see changes after you publish."
      action={<ButtonLink href="/site">Open the editor</ButtonLink>}
    >
      <Loaded resource={facts}>{(value) => <SiteForm facts={value} />}</Loaded>
    </Page>
  );
}

function SiteForm({ facts }: { facts: SiteFacts }) {
  const form = useSubmit(async (values) => {
    const name = values.text("name");
    await save({
      name,
      language: values.text("language"),
      titlePattern: values.text("titlePattern"),
      discourageSearchEngines: values.list("stayAway").length > 0,
    });
    session.renameSite(name);
    notices.show("Site settings saved.");
  });
  return (
    <Card>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label={words.siteSettings.name}
          name="name"
          required
          maxLength={200}
          autoComplete="off"
          defaultValue={facts.name}
          error={form.errors.name}
        />
        <Field
          label={words.siteSettings.language}
          name="language"
          required
          maxLength={35}
          autoComplete="off"
          defaultValue={facts.language}
          hint={words.siteSettings.languageHint}
          error={form.errors.language}
        />
        <Field
          label={words.siteSettings.pattern}
          name="titlePattern"
          required
          maxLength={200}
          autoComplete="off"
          defaultValue={facts.titlePattern}
          hint={words.siteSettings.patternHint}
          error={form.errors.titlePattern}
        />
        <Checkbox
          name="stayAway"
          value="yes"
          label={words.siteSettings.discourage}
          defaultChecked={facts.discourageSearchEngines}
        />
        <ProblemNote problem={form.problem} />
        <div>
          <Button look="primary" type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        </div>
      </form>
    </Card>
  );
}

async function readFacts(): Promise<SiteFacts> {
  const { shell } = await siteApi.shell();
  return shell.shell.settings;
}

/** The tool checks what a change by hand would not, and its refusal is the error that screens know. */
async function save(changed: SiteFacts): Promise<void> {
  const call = { tool: "updateSiteSettings", scope: "site" as const, arguments: { ...changed }, confirmed: true };
  const { ok, error } = await toolsApi.call(call);
  if (ok) return;
  const { code = "internal", message = words.errors.unexpected } = error ?? {};
  throw new ApiError({ status: 400, code, detail: message, errors: {} });
}
