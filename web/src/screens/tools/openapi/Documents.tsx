import { useState } from "react";
import { Link } from "wouter";
import { notices, toolsApi } from "../../../app-state";
import type { DocumentInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { Note } from "../../../parts/problem/Problem";
import { visible } from "../../../words/visible-text";
import settings from "../../settings/Settings.module.css";
import { AddDocument } from "./AddDocument";

/** The OpenAPI documents of the site: what is wrong with them, adding and removing one. */
export function Documents({ onChanged }: { onChanged(): void }) {
  const documents = useResource(toolsApi.documents);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<DocumentInfo>();
  const reload = () => {
    documents.reload();
    onChanged();
  };
  return (
    <Page
      title={words.openapi.heading}
      intro={words.openapi.intro}
      action={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          {words.openapi.add}
        </Button>
      }
    >
      <Loaded resource={documents}>
        {({ documents: all }) =>
          all.length === 0 ? (
            <Empty icon="tool" title={words.openapi.empty}>
              {words.openapi.emptyHint}
            </Empty>
          ) : (
            <Rows label={words.openapi.heading}>
              {all.map((document) => (
                <DocumentRow key={document.name} document={document} onRemove={() => setRemoving(document)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {adding && (
        <AddDocument
          onClose={() => setAdding(false)}
          onAdded={(outcome) => {
            setAdding(false);
            notices.show(words.openapi.outcomes[outcome] ?? outcome);
            reload();
          }}
        />
      )}
      {removing && (
        <Confirm
          title={`Remove ${removing.name}?`}
          verb={words.actions.remove}
          action={async () => {
            await toolsApi.removeDocument(removing.name);
            notices.show(`${removing.name} was removed.`);
            reload();
          }}
          onClose={() => setRemoving(undefined)}
        >
          {words.openapi.remove}
        </Confirm>
      )}
    </Page>
  );
}

function DocumentRow({ document, onRemove }: { document: DocumentInfo; onRemove(): void }) {
  const { name, tools, baseUrl, problem, weakened = [] } = document;
  return (
    <li>
      <div className={settings.row}>
        <div className={settings.grow}>
          <h2 className={settings.name}>
            <Link href={`/tools/openapi/${encodeURIComponent(name)}`}>{visible(name)}</Link>
            {problem && <Badge tone="danger">{words.openapi.broken}</Badge>}
            {weakened.length > 0 && <Badge tone="caution">{words.openapi.waiting}</Badge>}
          </h2>
          <p className={settings.about}>
            {[words.openapi.toolCount(tools.length), baseUrl].filter((part) => part).join(" · ")}
          </p>
        </div>
        <Button onClick={onRemove}>
          {words.actions.remove}
          <span className="visually-hidden"> {name}</span>
        </Button>
      </div>
      {problem && <Note tone="danger">{visible(problem)}</Note>}
    </li>
  );
}
