import type { ReactNode } from "react";
import { contentApi, mediaApi, notices } from "../../app-state";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useResource } from "../../hooks/use-resource";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import settings from "../settings/Settings.module.css";
import { useAssistantChanges } from "./use-content-assistant";

const said = words.content;

/** What can be restored: entries and pictures. */
async function binned() {
  const [{ entries }, { media }] = await Promise.all([contentApi.bin(), mediaApi.bin()]);
  return { entries, media };
}

export function Bin() {
  const bin = useResource(binned);
  useAssistantChanges(bin.reload);
  return (
    <Page title={said.tabs.bin} intro={said.binIntro}>
      <Loaded resource={bin}>
        {({ entries, media }) =>
          entries.length + media.length === 0 ? (
            <Empty icon="trash" title={said.emptyBin} />
          ) : (
            <Rows label={said.tabs.bin}>
              {entries.map(({ id, title, removedAt, keptUntil }) => (
                <BinnedRow
                  key={id}
                  title={title}
                  restore={() => contentApi.restoreEntry(id)}
                  onRestored={bin.reload}
                  about={
                    <>
                      Deleted <When at={removedAt} /> · kept until <When at={keptUntil} />
                    </>
                  }
                />
              ))}
              {media.map(({ id, name, keptUntil }) => (
                <BinnedRow
                  key={id}
                  title={name}
                  restore={() => mediaApi.restore(id)}
                  onRestored={bin.reload}
                  about={
                    <>
                      {said.picture} · kept until <When at={keptUntil} />
                    </>
                  }
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Page>
  );
}

interface BinnedRowProps {
  title: string;
  about: ReactNode;
  restore(): Promise<unknown>;
  onRestored(): void;
}

function BinnedRow({ title, about, restore, onRestored }: BinnedRowProps) {
  const restoring = useAction(async () => {
    await restore();
    notices.show(said.restored(title));
    onRestored();
  });
  return (
    <li className={settings.row}>
      <div className={settings.grow}>
        <h2 className={settings.name}>{title}</h2>
        <p className={settings.about}>{about}</p>
        <ProblemNote problem={restoring.problem} />
      </div>
      <Button busy={restoring.pending} onClick={() => restoring.run()}>
        {said.restore}
        <span className="visually-hidden"> {title}</span>
      </Button>
    </li>
  );
}
