import { useState } from "react";
import { api, notices } from "../../../app-state";
import type { DamagedPart, Diagnosis } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { Button } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Note, ProblemNote } from "../../../parts/problem/Problem";
import settings from "../Settings.module.css";

const said = words.storage;

/** Whether everything stored can be read, and the ways out when it cannot. */
export function Storage() {
  const [found, setFound] = useState<Diagnosis>();
  const check = useAction(async () => setFound(await api.diagnosis()));
  const repair = useAction(async () => {
    await api.repairFiles();
    setFound(await api.diagnosis());
  });
  return (
    <Card>
      <div>
        <div className={settings.storageHeader}>
          <div>
            <h2 className={settings.name}>{said.title}</h2>
            <p>{said.intro}</p>
          </div>
          <Button busy={check.pending} onClick={() => check.run()}>
            {said.check}
          </Button>
        </div>
        <div className={settings.findings} role="status">
          {found?.ok && <Note tone="calm">{said.sound}</Note>}
          {found !== undefined && found.damage.length > 0 && (
            <DamagedSite found={found} onRecovered={() => check.run()} />
          )}
          {found?.audit && <Note tone="danger">{said.audit(found.audit)}</Note>}
          {found !== undefined && damagedFiles(found) > 0 && (
            <Note tone="danger">
              <p>{said.files(damagedFiles(found))}</p>
              <div className={settings.answers}>
                <Button busy={repair.pending} onClick={() => repair.run()}>
                  {said.repair}
                </Button>
              </div>
            </Note>
          )}
        </div>
        <ProblemNote problem={check.problem ?? repair.problem} />
      </div>
    </Card>
  );
}

function damagedFiles({ files }: Diagnosis): number {
  return files.missing + files.corrupt + files.unreadable - files.repaired;
}

interface DamagedSiteProps {
  found: Diagnosis;
  onRecovered(): void;
}

function DamagedSite({ found: { damage, restorePoints }, onRecovered }: DamagedSiteProps) {
  const [asked, setAsked] = useState<{ restorePoint?: number }>();
  return (
    <Note tone="danger">
      {damage.map((part) => (
        <p key={part.document ?? ""}>{sentence(part)}</p>
      ))}
      <div className={settings.answers}>
        <a href="/admin/api/doctor/export" download="site.ndjson">
          {said.download}
        </a>
        <Button onClick={() => setAsked({})}>{said.recover}</Button>
        {restorePoints.slice(0, 5).map((restorePoint) => (
          <Button key={restorePoint} onClick={() => setAsked({ restorePoint })}>
            {said.restore(restorePoint)}
          </Button>
        ))}
      </div>
      {asked !== undefined && (
        <Confirm
          title={said.recoverTitle}
          verb={said.recoverVerb}
          action={async () => {
            await api.recover(asked);
            notices.show(said.recovered);
            onRecovered();
          }}
          onClose={() => setAsked(undefined)}
        >
          {asked.restorePoint === undefined ? said.recoverLoss : said.restoreLoss(asked.restorePoint)}
        </Confirm>
      )}
    </Note>
  );
}

function sentence({ document, title, entry, reason }: DamagedPart): string {
  // The types say that a field may be null, because the schemas do; it is absent then.
  const what = document == null ? said.site : said.document(title ?? document);
  return entry == null ? `${what}: ${reason}.` : said.entry(what, entry, reason);
}
