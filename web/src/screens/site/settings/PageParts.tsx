import { words } from "../../../glossary";
import { Checkbox, Choices } from "../../../parts/choice/Choice";
import { Field, Select, TextArea } from "../../../parts/field/Field";
import { PictureField } from "../../../parts/picture/PictureField";
import type { PageEntry } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import { LabelWithHint } from "./LabelWithHint";
import type { PageValues } from "./PageSettings";
import { SearchPreview, SocialPreview } from "./Previews";
import styles from "./Settings.module.css";
import type { SettingsForm } from "./use-settings";

const texts = words.pageSettings;

interface PartProps {
  sync: Sync;
  page: PageEntry;
  form: SettingsForm<PageValues>;
}

/** Where the page is found. */
export function PagePlace({ sync, page, form: { values, errors, set } }: PartProps) {
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
        label={<LabelWithHint title={texts.makeHome} hint={texts.makeHomeHint} />}
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
export function PageFound({ sync, page, form: { values, errors, set } }: PartProps) {
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
