import { may } from "../../../access/permissions";
import { words } from "../../../glossary";
import { useSession } from "../../../hooks/use-session";
import { Button } from "../../../parts/button/Button";
import { Checkbox } from "../../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { useDiscardQuestion } from "../../../parts/dialog/use-discard-question";
import { Field, TextArea } from "../../../parts/field/Field";
import { PictureField } from "../../../parts/picture/PictureField";
import { Note } from "../../../parts/problem/Problem";
import type { SiteCopy } from "../../../site/site-copy";
import type { Sync } from "../../../site/sync";
import styles from "./Settings.module.css";
import { type SettingsForm, useSettings } from "./use-settings";

const texts = words.siteSettings;

interface SiteValues {
  name: string;
  language: string;
  titlePattern: string;
  favicon: string | null;
  socialImage: string | null;
  discourageSearchEngines: boolean;
  headCode: string;
  bodyCode: string;
}

/** What holds for the whole site. */
export function SiteSettings({ sync, onClose }: { sync: Sync; onClose(): void }) {
  const { capabilities } = useSession();
  const form = useSettings<SiteValues>(
    () => valuesOf(sync.copy()),
    (changed) => sync.run("updateSiteSettings", changed, { summary: texts.summary }),
    onClose,
  );
  const { values, errors, set } = form;
  const leaving = useDiscardQuestion(form.isChanged, onClose);
  return (
    <Dialog title={texts.title} onClose={leaving.close} size="wide">
      <form className={styles.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label={texts.name}
          name="name"
          value={values.name}
          error={errors.name}
          onChange={(event) => set("name", event.target.value)}
        />
        <Field
          label={texts.language}
          name="language"
          value={values.language}
          error={errors.language}
          hint={texts.languageHint}
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => set("language", event.target.value)}
        />
        <Field
          label={texts.pattern}
          name="titlePattern"
          value={values.titlePattern}
          error={errors.titlePattern}
          hint={texts.patternHint}
          onChange={(event) => set("titlePattern", event.target.value)}
        />
        <div className={styles.previews}>
          <PictureField
            label={texts.favicon}
            address={values.favicon ?? ""}
            onPick={async ({ thumbnail }) => set("favicon", thumbnail)}
            onClear={() => set("favicon", null)}
          />
          <PictureField
            label={texts.social}
            address={values.socialImage ?? ""}
            onPick={async ({ url }) => set("socialImage", url)}
            onClear={() => set("socialImage", null)}
          />
        </div>
        <Checkbox
          label={texts.discourage}
          checked={values.discourageSearchEngines}
          onChange={(event) => set("discourageSearchEngines", event.target.checked)}
        />
        {may(capabilities, { needs: "site.code" }) && <CodeFields form={form} />}
        {form.problem !== undefined && (
          <div role="alert">
            <Note tone="danger">{form.problem}</Note>
          </div>
        )}
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button type="submit" look="primary" busy={form.pending}>
            {words.actions.save}
          </Button>
        </DialogActions>
      </form>
      {leaving.question}
    </Dialog>
  );
}

function CodeFields({ form: { values, errors, set } }: { form: SettingsForm<SiteValues> }) {
  return (
    <fieldset className={styles.code}>
      <legend>{texts.code}</legend>
      {(["headCode", "bodyCode"] as const).map((name) => (
        <TextArea
          key={name}
          label={texts[name]}
          name={name}
          rows={4}
          value={values[name]}
          error={errors[name]}
          spellCheck={false}
          autoCapitalize="none"
          data-code
          onChange={(event) => set(name, event.target.value)}
        />
      ))}
      <p className={styles.previewHint}>{texts.codeHint}</p>
    </fieldset>
  );
}

function valuesOf(copy: SiteCopy): SiteValues {
  const read = (field: string) => copy.field({ type: "site" }, field);
  const text = (field: string) => String(read(field) ?? "");
  return {
    name: text("name"),
    language: text("language"),
    titlePattern: text("titlePattern"),
    favicon: (read("favicon") as string | null | undefined) ?? null,
    socialImage: (read("socialImage") as string | null | undefined) ?? null,
    discourageSearchEngines: read("discourageSearchEngines") === true,
    headCode: text("headCode"),
    bodyCode: text("bodyCode"),
  };
}
