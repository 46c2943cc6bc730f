import { useCallback } from "react";
import { ApiError } from "../../../api/problem";
import { notices, session, toolsApi } from "../../../app-state";
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

interface SiteFacts {
  name: string;
  language: string;
  titlePattern: string;
  discourageSearchEngines: boolean;
}

/** What counts for the whole site. It is part of the draft like every page, and visitors see it after publishing. */
export function SiteSettings() {
  const facts = useResource(useCallback(() => callTool<SiteFacts>("getSiteSettings", {}), []));
  return (
    <Page
      title={words.pages.siteSettings}
      intro="What counts for every page. Visitors see it after the next publishing."
      action={<ButtonLink href="/site">Open the editor</ButtonLink>}
    >
      <Loaded resource={facts}>{(value) => <SiteForm facts={value} />}</Loaded>
    </Page>
  );
}

function SiteForm({ facts }: { facts: SiteFacts }) {
  const form = useSubmit(async (values) => {
    const name = values.text("name");
    await callTool("updateSiteSettings", {
      name,
      language: values.text("language"),
      titlePattern: values.text("titlePattern"),
      discourageSearchEngines: values.list("stayAway").length > 0,
    });
    session.renameSite(name);
    notices.show("The settings of the site are saved.");
  });
  return (
    <Card>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label="Name"
          name="name"
          required
          maxLength={200}
          autoComplete="off"
          defaultValue={facts.name}
          error={form.errors.name}
        />
        <Field
          label="Language"
          name="language"
          required
          maxLength={35}
          autoComplete="off"
          defaultValue={facts.language}
          hint="As browsers write it, such as en, en-GB or de-AT."
          error={form.errors.language}
        />
        <Field
          label="Titles in browsers and search results"
          name="titlePattern"
          required
          maxLength={200}
          autoComplete="off"
          defaultValue={facts.titlePattern}
          hint="{title} is the title of the page, {site} the name of the site."
          error={form.errors.titlePattern}
        />
        <Checkbox
          name="stayAway"
          value="yes"
          label="Ask search engines to stay away from the whole site"
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

/** Calls a tool of the site, with a refusal as the error that screens know. */
async function callTool<T>(tool: string, args: Record<string, unknown>): Promise<T> {
  const { ok, data, error } = await toolsApi.call({ tool, scope: "site", arguments: args, confirmed: true });
  if (ok) return data as T;
  const { code = "internal", message = words.errors.unexpected } = error ?? {};
  throw new ApiError({ status: 400, code, detail: message, errors: {} });
}
