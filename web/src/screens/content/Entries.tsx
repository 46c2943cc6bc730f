import { useCallback, useState } from "react";
import { Link, useLocation } from "wouter";
import { may } from "../../access/permissions";
import type { Entry, EntryList } from "../../api/content-api";
import { contentApi } from "../../app-state";
import type { ListedCollection } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { Tabs } from "../../parts/tabs/Tabs";
import { When } from "../../parts/When";
import settings from "../settings/Settings.module.css";
import { languageName } from "./languages";
import { useAssistantChanges } from "./use-content-assistant";

const said = words.content;

interface EntriesProps {
  collections: readonly ListedCollection[];
  chosen: string | undefined;
}

export function Entries({ collections, chosen }: EntriesProps) {
  const { capabilities } = useSession();
  const [, go] = useLocation();
  const collection = collections.find(({ slug }) => slug === chosen) ?? collections[0];
  if (collection === undefined) {
    return (
      <Page title={said.tabs.entries} intro={said.entriesIntro}>
        <Empty icon="page" title={said.noCollections} />
      </Page>
    );
  }
  return (
    <Page
      title={said.tabs.entries}
      heading={collection.label}
      intro={said.entriesIntro}
      action={
        may(capabilities, { needs: "content.write" }) && (
          <Button look="primary" icon="plus" onClick={() => go(`/content/new/${collection.slug}`)}>
            {said.newEntry}
          </Button>
        )
      }
    >
      {collections.length > 1 && (
        <Tabs
          inner
          label={said.tabs.collections}
          tabs={collections.map(({ slug, label }, index) => ({
            path: `/content/entries/${slug}`,
            label,
            covers: index === 0 && chosen === undefined ? ["/content/entries"] : [],
          }))}
        />
      )}
      <EntryRows key={collection.slug} collection={collection} />
    </Page>
  );
}

function EntryRows({ collection: { slug, label } }: { collection: ListedCollection }) {
  const first = useResource(useCallback(() => contentApi.entries(slug), [slug]));
  const [more, setMore] = useState<readonly EntryList[]>([]);
  useAssistantChanges(
    useCallback(() => {
      setMore([]);
      first.reload();
    }, [first.reload]),
  );
  const showMore = useAction(async (cursor: string) => {
    const page = await contentApi.entries(slug, cursor);
    setMore((pages) => [...pages, page]);
  });
  return (
    <Loaded resource={first}>
      {(page) => {
        const pages = [page, ...more];
        const entries = pages.flatMap(({ items }) => items);
        const next = pages.at(-1)?.next;
        if (entries.length === 0) return <Empty icon="page" title={said.noEntries} />;
        return (
          <>
            <Rows label={label}>
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} />
              ))}
            </Rows>
            {next !== undefined && (
              <div className={settings.answers}>
                <Button busy={showMore.pending} onClick={() => showMore.run(next)}>
                  Show more
                </Button>
              </div>
            )}
            <ProblemNote problem={showMore.problem} />
          </>
        );
      }}
    </Loaded>
  );
}

function EntryRow({ entry }: { entry: Entry }) {
  return (
    <li className={settings.row}>
      <div className={settings.grow}>
        <h2 className={settings.name}>
          <Link href={`/content/entry/${entry.id}`}>{entry.title}</Link> <StatusBadge entry={entry} />{" "}
          {entry.locale !== undefined && <Badge>{languageName(entry.locale)}</Badge>}
        </h2>
        <p className={settings.about}>
          {entry.permalink ?? entry.slug}
          {entry.updatedAt !== undefined && (
            <>
              {" · changed "}
              <When at={Date.parse(entry.updatedAt)} />
            </>
          )}
        </p>
      </div>
    </li>
  );
}

export function StatusBadge({ entry: { status, publishAt } }: { entry: Entry }) {
  const isScheduled = status === "published" && publishAt !== undefined && Date.parse(publishAt) > Date.now();
  if (isScheduled) return <Badge tone="accent">{said.scheduled}</Badge>;
  return <Badge tone={status === "published" ? "accent" : "plain"}>{said.statuses[status]}</Badge>;
}
