import { useState } from "react";
import { Link } from "wouter";
import { notices, toolsApi } from "../../../app-state";
import type { FileSource, RegisteredSource } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { Card, Rows } from "../../../parts/card/Card";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded } from "../../../parts/loading/Loading";
import { Page, Section } from "../../../parts/page/Page";
import { Note } from "../../../parts/problem/Problem";
import { visible } from "../../../visible-text";
import settings from "../../settings/Settings.module.css";
import { RegisterDialog } from "./RegisterDialog";

/** Tools that live elsewhere: where they come from, what is wrong with them, connecting and removing one. */
export function ConnectedTools({ onChanged }: { onChanged(): void }) {
  const sources = useResource(toolsApi.sources);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<RegisteredSource>();
  const reload = () => {
    sources.reload();
    onChanged();
  };
  return (
    <Page
      title={words.tools.sources}
      intro="A tool of your own is one address that takes a POST and answers JSON. Each call of it is checked, judged, approved where that is due, and written down."
      action={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          {words.tools.register}
        </Button>
      }
    >
      <Loaded resource={sources}>
        {({ file, registered }) => (
          <>
            {registered.length === 0 ? (
              <Empty icon="tool" title="No tool is connected here">
                Connect one for what the assistant should be able to do outside this site, such as looking up a product.
              </Empty>
            ) : (
              <Rows label={words.tools.sources}>
                {registered.map((source) => (
                  <SourceRow key={source.name} source={source} onRemove={() => setRemoving(source)} />
                ))}
              </Rows>
            )}
            {file && <FileTools file={file} />}
          </>
        )}
      </Loaded>
      {adding && (
        <RegisterDialog
          onClose={() => setAdding(false)}
          onRegistered={(name) => {
            setAdding(false);
            notices.show(`${name} is connected.`);
            reload();
          }}
        />
      )}
      {removing && (
        <Confirm
          title={`Remove ${removing.name}?`}
          verb={words.actions.remove}
          action={async () => {
            await toolsApi.remove(removing.name);
            notices.show(`${removing.name} is removed.`);
            reload();
          }}
          onClose={() => setRemoving(undefined)}
        >
          Nobody can call it any more. Its address and headers are forgotten; what it did stays in the log.
        </Confirm>
      )}
    </Page>
  );
}

function SourceRow({ source, onRemove }: { source: RegisteredSource; onRemove(): void }) {
  const { name, host, headerNames, problem } = source;
  return (
    <li>
      <div className={settings.row}>
        <div className={settings.grow}>
          <h2 className={settings.name}>
            <Link href={`/tools/tool/${encodeURIComponent(name)}`}>{visible(name)}</Link>
            {problem && <Badge tone="danger">Cannot be used</Badge>}
          </h2>
          <p className={settings.about}>
            {[host, headerNames.length > 0 ? `with ${headerNames.join(", ")}` : undefined]
              .filter((part) => part)
              .join(" · ")}
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

function FileTools({ file }: { file: FileSource }) {
  return (
    <Section title="From the file of the server" intro={<code>{file.path}</code>}>
      {file.problems.map((problem) => (
        <Note key={problem} tone="danger">
          {visible(problem)}
        </Note>
      ))}
      <Card>
        {file.loaded.length === 0 ? (
          <p>It names no tool that can be used.</p>
        ) : (
          <ul>
            {file.loaded.map((name) => (
              <li key={name}>
                <Link href={`/tools/tool/${encodeURIComponent(name)}`}>{visible(name)}</Link>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </Section>
  );
}
