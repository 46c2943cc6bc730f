import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { Checkbox, Choices } from "../../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field, Select, TextArea } from "../../../parts/field/Field";
import { PictureField } from "../../../parts/picture/PictureField";
import { Note } from "../../../parts/problem/Problem";
import type { PageEntry } from "../../../site/model";
import type { SiteCopy } from "../../../site/site-copy";
import type { Sync } from "../../../site/sync";
import { SearchPreview, SocialPreview } from "./Previews";
import styles from "./Settings.module.css";
import { type SettingsForm, useSettings } from "./use-settings";

const texts = words.pageSettings;

interface PageValues {
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
  return (
    <Dialog title={texts.title(page.title)} onClose={onClose} size="wide">
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
            <Place sync={sync} page={page} form={form} />
            <Found sync={sync} page={page} form={form} />
          </>
        )}
        <Checkbox
          label={<Said title={texts.draft} hint={texts.draftHint} />}
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

interface PartProps {
  sync: Sync;
  page: PageEntry;
  form: SettingsForm<PageValues>;
}

/** Where the page is found. */
function Place({ sync, page, form: { values, errors, set } }: PartProps) {
  const pages = sync.copy().pages();
  const parent = pages.find(({ id }) => id === values.parentId);
  const wasHome = page.slug === "index" && page.permalink === "/";
  const isHome = values.slug === "index" && values.parentId === null;
  if (wasHome) return <Field label={texts.address} value="/" readOnly hint={texts.homeHint} />;
  return (
    <>
      <Field
        label={texts.address}
        name="slug"
        value={isHome ? "" : values.slug}
        disabled={isHome}
        error={errors.slug}
        autoCapitalize="none"
        spellCheck={false}
        hint={<code>{addressOf(parent, values.slug)}</code>}
        onChange={(event) => set("slug", event.target.value)}
      />
      <Select
        label={texts.parent}
        name="parentId"
        value={values.parentId ?? ""}
        disabled={isHome}
        error={errors.parentId}
        onChange={(event) => set("parentId", event.target.value || null)}
      >
        <option value="">{texts.noParent}</option>
        {pages
          .filter(({ id, isTemplate, permalink }) => !isTemplate && id !== page.id && permalink !== "/")
          .map(({ id, title, permalink }) => (
            <option key={id} value={id}>{`${title} (${permalink})`}</option>
          ))}
      </Select>
      <Checkbox
        label={<Said title={texts.makeHome} hint={texts.makeHomeHint} />}
        checked={isHome}
        onChange={({ target }) => {
          set("slug", target.checked ? "index" : page.slug);
          if (target.checked) set("parentId", null);
        }}
      />
    </>
  );
}

/** How the page is found. */
function Found({ sync, page, form: { values, errors, set } }: PartProps) {
  const copy = sync.copy();
  const parent = copy.pages().find(({ id }) => id === values.parentId);
  const shown = {
    site: String(copy.field({ type: "site" }, "name") ?? ""),
    pattern: String(copy.field({ type: "site" }, "titlePattern") ?? "{title}"),
    title: values.title,
    address: page.permalink === "/" ? "/" : addressOf(parent, values.slug),
    description: values.description.trim(),
    image:
      values.socialImage ?? (copy.field({ type: "site" }, "socialImage") as string | null | undefined) ?? undefined,
    isHidden: values.noIndex || copy.field({ type: "site" }, "discourageSearchEngines") === true,
  };
  return (
    <>
      <TextArea
        label={texts.description}
        name="description"
        rows={3}
        value={values.description}
        error={errors.description}
        hint={texts.descriptionHint([...values.description.trim()].length)}
        onChange={(event) => set("description", event.target.value)}
      />
      <PictureField
        label={texts.social}
        address={values.socialImage ?? ""}
        onPick={async ({ url }) => set("socialImage", url)}
        onClear={() => set("socialImage", null)}
      />
      <div className={styles.previews}>
        <SearchPreview shown={shown} />
        <SocialPreview shown={shown} />
      </div>
      <Field
        label={texts.canonical}
        name="canonical"
        inputMode="url"
        value={values.canonical}
        error={errors.canonical}
        hint={texts.canonicalHint}
        onChange={(event) => set("canonical", event.target.value)}
      />
      <Choices title={texts.visibility}>
        <Checkbox
          label={texts.noIndex}
          checked={values.noIndex}
          onChange={(event) => set("noIndex", event.target.checked)}
        />
        <Checkbox
          label={texts.hideInMenus}
          checked={values.hideInMenus}
          onChange={(event) => set("hideInMenus", event.target.checked)}
        />
      </Choices>
    </>
  );
}

function addressOf(parent: PageEntry | undefined, slug: string): string {
  const own = slug.trim().replace(/^\/+|\/+$/g, "");
  return own === "index" && parent === undefined ? "/" : `${parent?.permalink ?? ""}/${own}`;
}

export function Said({ title, hint }: { title: string; hint: string }) {
  return (
    <>
      {title}
      <small className={styles.saidHint}>{hint}</small>
    </>
  );
}
