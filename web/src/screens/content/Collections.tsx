import { useState } from "react";
import { may } from "../../access/permissions";
import { contentApi, notices } from "../../app-state";
import type { ListedCollection } from "../../generated/api";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Confirm } from "../../parts/dialog/Confirm";
import { Empty } from "../../parts/empty/Empty";
import { Page } from "../../parts/page/Page";
import settings from "../settings/Settings.module.css";
import { CollectionDialog } from "./CollectionDialog";

const said = words.content;

interface CollectionsProps {
  collections: readonly ListedCollection[];
  onChanged(): void;
}

export function Collections({ collections, onChanged }: CollectionsProps) {
  const { capabilities } = useSession();
  const [edited, setEdited] = useState<ListedCollection | "new">();
  const [deleting, setDeleting] = useState<ListedCollection>();
  const mayWrite = may(capabilities, { needs: "content.write" });
  return (
    <Page
      title={said.tabs.collections}
      intro={said.collectionsIntro}
      action={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={() => setEdited("new")}>
            {said.newCollection}
          </Button>
        )
      }
    >
      {collections.length === 0 ? (
        <Empty icon="page" title={said.noCollections} />
      ) : (
        <Rows label={said.tabs.collections}>
          {collections.map((collection) => (
            <li key={collection.id} className={settings.row}>
              <div className={settings.grow}>
                <h2 className={settings.name}>
                  {collection.label} {collection.routeBase != null && <Badge>{collection.routeBase}</Badge>}
                </h2>
                <p className={settings.about}>
                  {(collection.fields ?? []).map(({ name, label }) => label || name).join(", ")}
                </p>
              </div>
              {mayWrite && (
                <>
                  <Button onClick={() => setEdited(collection)}>
                    {words.actions.edit}
                    <span className="visually-hidden"> {collection.label}</span>
                  </Button>
                  <Button onClick={() => setDeleting(collection)}>
                    {words.actions.delete}
                    <span className="visually-hidden"> {collection.label}</span>
                  </Button>
                </>
              )}
            </li>
          ))}
        </Rows>
      )}
      {edited !== undefined && (
        <CollectionDialog
          collection={edited === "new" ? undefined : edited}
          onSaved={onChanged}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleting && (
        <Confirm
          title={`Delete ${deleting.label}?`}
          verb={words.actions.delete}
          action={async () => {
            await contentApi.deleteCollection(deleting.id);
            notices.show(said.saved);
            onChanged();
          }}
          onClose={() => setDeleting(undefined)}
        >
          Only a collection without entries can be deleted.
        </Confirm>
      )}
    </Page>
  );
}
