import { useCallback, useState } from "react";
import { useLocation } from "wouter";
import { may } from "../../access/permissions";
import type { Entry } from "../../api/content-api";
import { contentApi, notices } from "../../app-state";
import type { ListedCollection } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { Confirm } from "../../parts/dialog/Confirm";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { NotFound } from "../NotFound";
import settings from "../settings/Settings.module.css";
import { StatusBadge } from "./Entries";
import { ContentFields, OwnFields } from "./EntryFields";
import { givenValue, isoTime } from "./entry-values";
import { Languages } from "./Languages";
import { useAssistantChanges } from "./use-content-assistant";
import { Versions } from "./Versions";

const said = words.content;

interface NewEntryProps {
  collections: readonly ListedCollection[];
  slug: string;
}

export function NewEntryScreen({ collections, slug }: NewEntryProps) {
  const [, go] = useLocation();
  const collection = collections.find((found) => found.slug === slug);
  const form = useSubmit(async (values) => {
    const fields = collection?.fields ?? [];
    const content = Object.fromEntries(fields.map((field) => [field.name, givenValue(field, values)]));
    const created = await contentApi.createEntry({
      collectionId: slug,
      title: values.text("title"),
      slug: values.text("slug"),
      content: Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null)),
    });
    notices.show(said.saved);
    go(`/content/entry/${String(created.id)}`);
  });
  if (collection === undefined) return <NotFound />;
  return (
    <Page title={said.newEntry} intro={collection.label}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Card>
          <div className={settings.form}>
            <OwnFields errors={form.errors} />
            <ContentFields fields={collection.fields ?? []} content={{}} errors={form.errors} />
          </div>
        </Card>
        <ProblemNote problem={form.problem} />
        <div className={settings.answers}>
          <Button look="primary" type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        </div>
      </form>
    </Page>
  );
}

interface EntryScreenProps {
  id: string;
  collections: readonly ListedCollection[];
}

export function EntryScreen({ id, collections }: EntryScreenProps) {
  const entry = useResource(useCallback(() => contentApi.entry(id), [id]));
  useAssistantChanges(entry.reload);
  return (
    <Loaded resource={entry}>
      {(value) => (
        <EditEntry
          key={value.version}
          entry={value}
          collection={collections.find((found) => found.id === value.collectionId)}
          onChanged={entry.reload}
        />
      )}
    </Loaded>
  );
}

interface EditEntryProps {
  entry: Entry;
  collection: ListedCollection | undefined;
  onChanged(): void;
}

function EditEntry({ entry, collection, onChanged }: EditEntryProps) {
  const { capabilities } = useSession();
  const [deleting, setDeleting] = useState(false);
  const [, go] = useLocation();
  const fields = collection?.fields ?? [];
  const form = useSubmit(async (values) => {
    await contentApi.changeEntry(entry.id, {
      title: values.text("title"),
      slug: values.text("slug"),
      publishAt: isoTime(values.text("publishAt")),
      unpublishAt: isoTime(values.text("unpublishAt")),
      content: Object.fromEntries(fields.map((field) => [field.name, givenValue(field, values)])),
      version: entry.version,
    });
    notices.show(said.saved);
    onChanged();
  });
  const mayWrite = may(capabilities, { needs: "content.write" });
  return (
    <Page
      title={entry.title}
      intro={
        <>
          <StatusBadge entry={entry} /> {entry.permalink ?? entry.slug}
        </>
      }
      action={may(capabilities, { needs: "content.publish" }) && <PublishActions entry={entry} onChanged={onChanged} />}
    >
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Card>
          <div className={settings.form}>
            <OwnFields entry={entry} errors={form.errors} />
            <ContentFields fields={fields} content={entry.content ?? {}} errors={form.errors} />
          </div>
        </Card>
        <ProblemNote problem={form.problem} />
        {mayWrite && (
          <div className={settings.answers}>
            <Button look="primary" type="submit" busy={form.pending}>
              {words.actions.save}
            </Button>
            <Button onClick={() => setDeleting(true)}>{words.actions.delete}</Button>
          </div>
        )}
      </form>
      <Languages entry={entry} mayWrite={mayWrite} onChanged={onChanged} />
      <Versions entry={entry} mayRestore={mayWrite} onRestored={onChanged} />
      {deleting && (
        <Confirm
          title={`Delete ${entry.title}?`}
          verb={words.actions.delete}
          action={async () => {
            await contentApi.deleteEntry(entry.id);
            notices.show(said.deleted(entry.title));
            go(`/content/entries/${entry.collectionSlug}`);
          }}
          onClose={() => setDeleting(false)}
        >
          Visitors stop seeing it and its translations at once. You can restore them for 30 days.
        </Confirm>
      )}
    </Page>
  );
}

function PublishActions({ entry, onChanged }: { entry: Entry; onChanged(): void }) {
  const isPublished = entry.status === "published";
  const publish = useAction(async () => {
    await contentApi.publishEntry(entry.id);
    notices.show(said.publishedNote(entry.title));
    onChanged();
  });
  const withdraw = useAction(async () => {
    await contentApi.changeEntry(entry.id, { status: "draft" });
    onChanged();
  });
  return (
    <div>
      <div className={settings.actions}>
        {isPublished && (
          <Button busy={withdraw.pending} onClick={() => withdraw.run()}>
            Unpublish
          </Button>
        )}
        <Button look="primary" busy={publish.pending} onClick={() => publish.run()}>
          {isPublished ? said.publishChanges : said.publish}
        </Button>
      </div>
      <ProblemNote problem={publish.problem ?? withdraw.problem} />
    </div>
  );
}
