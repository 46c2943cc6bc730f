import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { Checkbox } from "../../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { useDiscardQuestion } from "../../../parts/dialog/use-discard-question";
import { Field } from "../../../parts/field/Field";
import { Note } from "../../../parts/problem/Problem";
import type { PageEntry } from "../../../site/model";
import type { SiteCopy } from "../../../site/site-copy";
import type { Sync } from "../../../site/sync";
import { LabelWithHint } from "./LabelWithHint";
import { PageFound, PagePlace } from "./PageParts";
import styles from "./Settings.module.css";
import { useSettings } from "./use-settings";

const texts = words.pageSettings;

export interface PageValues {
  title: string;
  slug: string;
  parentId: string | null;
  description: string;
  socialImage: string | null;
  canonical: string;
  noIndex: boolean;
  hideInMenus: boolean;
  draft: boolean;
}

interface PageSettingsProps {
  sync: Sync;
  page: PageEntry;
  onClose(): void;
}

/** What stands around a page: its title and address, and how search engines and others show it. */
export function PageSettings({ sync, page, onClose }: PageSettingsProps) {
  const form = useSettings<PageValues>(
    () => valuesOf(sync.copy(), page.id),
    (changed) => sync.run("updatePageSettings", { pageId: page.id, ...changed }, { summary: texts.summary }),
    onClose,
  );
  const { values, errors, set } = form;
  const leaving = useDiscardQuestion(form.isChanged, onClose);
  return (
    <Dialog title={texts.title(page.title)} onClose={leaving.close} size="wide">
      <form className={styles.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label={texts.name}
          name="title"
          value={values.title}
          error={errors.title}
          hint={texts.nameHint([...values.title].length)}
          onChange={(event) => set("title", event.target.value)}
        />
        {!page.isTemplate && (
          <>
            <PagePlace sync={sync} page={page} form={form} />
            <PageFound sync={sync} page={page} form={form} />
          </>
        )}
        <Checkbox
          label={<LabelWithHint title={texts.draft} hint={texts.draftHint} />}
          checked={values.draft}
          onChange={(event) => set("draft", event.target.checked)}
        />
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

function valuesOf(copy: SiteCopy, id: string): PageValues {
  const read = (field: string) => copy.field({ type: "page", id }, field);
  const text = (field: string) => String(read(field) ?? "");
  return {
    title: text("title"),
    slug: text("slug"),
    parentId: (read("parentId") as string | null | undefined) ?? null,
    description: text("settings.description"),
    socialImage: (read("settings.socialImage") as string | null | undefined) ?? null,
    canonical: text("settings.canonical"),
    noIndex: read("settings.noIndex") === true,
    hideInMenus: read("settings.hideInMenus") === true,
    draft: read("draft") === true,
  };
}
