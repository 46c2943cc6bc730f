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
import { visible } from "../../../words/visible-text";
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
      intro="Your own tool is an address that accepts a POST and returns JSON. Each call is checked against the site’s rules, approved where needed, and recorded."
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
              <Empty icon="tool" title="No connected tools">
                Connect one to let the assistant do something outside this site, such as looking up a product.
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
            notices.show(`${removing.name} was removed.`);
            reload();
          }}
          onClose={() => setRemoving(undefined)}
        >
          No one will be able to call it. Its address and headers are deleted; its runs stay in the log.
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
            {problem && <Badge tone="danger">Can’t be used</Badge>}
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
    <Section title="From the server’s file" intro={<code>{file.path}</code>}>
      {file.problems.map((problem) => (
        <Note key={problem} tone="danger">
          {visible(problem)}
        </Note>
      ))}
      <Card>
        {file.loaded.length === 0 ? (
          <p>It contains no usable tools.</p>
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
