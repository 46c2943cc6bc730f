import { useCallback, useState } from "react";
import type { Entry } from "../../api/content-api";
import { contentApi, notices } from "../../app-state";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Confirm } from "../../parts/dialog/Confirm";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Loaded } from "../../parts/loading/Loading";
import { Section } from "../../parts/page/Page";
import { When } from "../../parts/When";
import settings from "../settings/Settings.module.css";

const said = words.content;

interface VersionsProps {
  entry: Entry;
  mayRestore: boolean;
  onRestored(): void;
}

/** The versions of an entry, what has changed since one, and the way back to it. */
export function Versions({ entry, mayRestore, onRestored }: VersionsProps) {
  const versions = useResource(useCallback(() => contentApi.versions(entry.id), [entry.id]));
  const [compared, setCompared] = useState<number>();
  const [restoring, setRestoring] = useState<number>();
  return (
    <Section title={said.versions}>
      <Loaded resource={versions}>
        {({ versions: list }) => (
          <Rows label={said.versions}>
            {list.map(({ version, at, authorName, summary }, index) => (
              <li key={version} className={settings.row}>
                <div className={settings.grow}>
                  <p>{summary}</p>
                  <p className={settings.about}>
                    {authorName != null && `${authorName} · `}
                    <When at={at} />
                  </p>
                </div>
                {index > 0 && <Button onClick={() => setCompared(version)}>Compare</Button>}
                {index > 0 && mayRestore && <Button onClick={() => setRestoring(version)}>{said.restore}</Button>}
              </li>
            ))}
          </Rows>
        )}
      </Loaded>
      {compared !== undefined && (
        <Compare id={entry.id} version={String(compared)} onClose={() => setCompared(undefined)} />
      )}
      {restoring !== undefined && (
        <Confirm
          title={`${said.restoreVersion}?`}
          verb={said.restore}
          action={async () => {
            await contentApi.restoreVersion(entry.id, String(restoring));
            notices.show(said.saved);
            onRestored();
          }}
          onClose={() => setRestoring(undefined)}
        >
          The entry gets the title, address and fields it had then. Its status stays.
        </Confirm>
      )}
    </Section>
  );
}

function Compare({ id, version, onClose }: { id: string; version: string; onClose(): void }) {
  const past = useResource(useCallback(() => contentApi.version(id, version), [id, version]));
  return (
    <Dialog title="Changed since then" onClose={onClose}>
      <Loaded resource={past}>
        {({ changes }) =>
          changes.length === 0 ? (
            <p>No changes.</p>
          ) : (
            <dl className={settings.facts}>
              {changes.map(({ field, was, is }) => (
                <div key={field}>
                  <dt>{field}</dt>
                  <dd>
                    <del>{shown(was)}</del> <ins>{shown(is)}</ins>
                  </dd>
                </div>
              ))}
            </dl>
          )
        }
      </Loaded>
      <DialogActions>
        <Button onClick={onClose}>{words.actions.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
