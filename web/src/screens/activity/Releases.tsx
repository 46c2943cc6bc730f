import { useState } from "react";
import { may } from "../../access/permissions";
import type { ReleaseInfo } from "../../api/publish-api";
import { notices, publishApi } from "../../app-state";
import type { Releases as ReleasesPage } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { type Resource, useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Confirm } from "../../parts/dialog/Confirm";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import { visible } from "../../words/visible-text";
import { PublishButton } from "../publish/PublishButton";
import settings from "../settings/Settings.module.css";
import styles from "./Activity.module.css";

const PAGE_SIZE = 50;
const newest = () => publishApi.releases(PAGE_SIZE);

/** What was published, with the way back to each. */
export function Releases() {
  const pages = useResource(newest);
  return (
    <Page
      title={words.activityPage.tabs.releases}
      intro="Every time you publish, a release is saved. Rolling back shows visitors an earlier one; your drafts stay as they are."
      action={<PublishButton onPublished={pages.reload} />}
    >
      <Loaded resource={pages}>
        {(page) =>
          page.releases.length === 0 ? (
            <Empty icon="publish" title="Nothing is published yet">
              {words.publishing.firstTime}
            </Empty>
          ) : (
            <ReleaseRows page={page} pages={pages} />
          )
        }
      </Loaded>
    </Page>
  );
}

function ReleaseRows({ page, pages }: { page: ReleasesPage; pages: Resource<ReleasesPage> }) {
  const { next } = page;
  const [chosen, setChosen] = useState<ReleaseInfo>();
  const older = useAction(async (before: number) => {
    const more = await publishApi.releases(PAGE_SIZE, before);
    pages.replace((shown) => ({ ...more, releases: [...shown.releases, ...more.releases] }));
  });
  return (
    <div className={styles.entries}>
      <Rows label={words.activityPage.tabs.releases}>
        {page.releases.map((release) => (
          <ReleaseRow key={release.id} release={release} onRestore={() => setChosen(release)} />
        ))}
      </Rows>
      <ProblemNote problem={older.problem} />
      {typeof next === "number" && (
        <Button busy={older.pending} onClick={() => older.run(next)}>
          {words.activityPage.older}
        </Button>
      )}
      {chosen && (
        <Confirm
          title={`Roll back to release ${chosen.number}?`}
          verb={words.publishing.restore}
          action={async () => {
            await publishApi.restore(chosen);
            notices.show(`Visitors now see release ${chosen.number}.`);
            pages.reload();
          }}
          onClose={() => setChosen(undefined)}
        >
          Visitors will see the {words.publishing.pages(chosen.pages)} of that release right away. Your drafts stay as
          they are, and you can switch back the same way.
        </Confirm>
      )}
    </div>
  );
}

function ReleaseRow({ release, onRestore }: { release: ReleaseInfo; onRestore(): void }) {
  const { capabilities } = useSession();
  const who = release.byName
    ? visible(release.byName)
    : release.by === "local"
      ? words.actors.local
      : words.actors.gone;
  return (
    <li className={settings.row}>
      <div className={settings.grow}>
        <h2 className={settings.name}>
          {words.publishing.release(release.number)}
          {release.isCurrent && <Badge tone="accent">{words.publishing.shown}</Badge>}
        </h2>
        {release.note !== "" && <p>{visible(release.note)}</p>}
        <p className={settings.about}>
          <bdi>{who}</bdi> · <When at={release.at} /> · {words.publishing.pages(release.pages)}
        </p>
      </div>
      {!release.isCurrent && may(capabilities, { needs: "site.publish" }) && (
        <Button onClick={onRestore}>
          {words.publishing.restore}
          <span className="visually-hidden"> (release {release.number})</span>
        </Button>
      )}
    </li>
  );
}
