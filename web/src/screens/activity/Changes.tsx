import { historyApi } from "../../app-state";
import type { HistoryPage } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { type Resource, useResource } from "../../hooks/use-resource";
import { Button, ButtonLink } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { useNames } from "../site/history/use-names";
import styles from "./Activity.module.css";
import { ChangeLine } from "./ChangeLine";

const newest = () => historyApi.list();

/** What was changed on the site, whoever did it. */
export function Changes() {
  const pages = useResource(newest);
  return (
    <Page
      title={words.activityPage.tabs.changes}
      intro="Changes to the site, newest first. You can revert them in the editor’s history."
      action={<ButtonLink href="/site">Open the editor</ButtonLink>}
    >
      <Loaded resource={pages}>
        {(page) =>
          page.changes.length === 0 ? (
            <Empty icon="clock" title="No changes yet">
              Changes made by you, others and the assistant are listed here.
            </Empty>
          ) : (
            <ChangeRows page={page} pages={pages} />
          )
        }
      </Loaded>
    </Page>
  );
}

function ChangeRows({ page, pages }: { page: HistoryPage; pages: Resource<HistoryPage> }) {
  const { next } = page;
  const nameOf = useNames();
  const older = useAction(async (before: number) => {
    const more = await historyApi.list(before);
    pages.replace((shown) => ({ ...more, changes: [...shown.changes, ...more.changes] }));
  });
  return (
    <div className={styles.entries}>
      <Rows label={words.activityPage.tabs.changes}>
        {page.changes.map((change) => (
          <li key={change.seq}>
            <ChangeLine change={change} nameOf={nameOf} />
          </li>
        ))}
      </Rows>
      <ProblemNote problem={older.problem} />
      {typeof next === "number" && (
        <Button busy={older.pending} onClick={() => older.run(next)}>
          {words.activityPage.older}
        </Button>
      )}
    </div>
  );
}
