import { api } from "../../app-state";
import type { AuditEntry, AuditPage } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { type Resource, useResource } from "../../hooks/use-resource";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import styles from "./Activity.module.css";

const PAGE_SIZE = 50;
const newest = () => api.audit(PAGE_SIZE);

export function Activity() {
  const pages = useResource(newest);
  return (
    <Page
      title={words.pages.activity}
      intro="Who did what on this site, newest first. Entries cannot be changed afterwards."
    >
      <Loaded resource={pages}>
        {(page) =>
          page.entries.length === 0 ? (
            <Empty icon="clock" title="Nothing has happened yet">
              Sign-ins, invitations and every other change will be listed here.
            </Empty>
          ) : (
            <Entries page={page} pages={pages} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Entries({ page, pages }: { page: AuditPage; pages: Resource<AuditPage> }) {
  const { next } = page;
  const older = useAction(async (before: number) => {
    const more = await api.audit(PAGE_SIZE, before);
    pages.replace((shown) => ({ ...more, entries: [...shown.entries, ...more.entries] }));
  });
  return (
    <div className={styles.entries}>
      <Rows label={words.pages.activity}>
        {page.entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </Rows>
      <ProblemNote problem={older.problem} />
      {typeof next === "number" && (
        <Button busy={older.pending} onClick={() => older.run(next)}>
          {words.actions.showMore}
        </Button>
      )}
    </div>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  return (
    <li className={styles.entry}>
      <p>{entry.detail || entry.action}</p>
      <p className={styles.about}>
        {entry.actor} · <When at={entry.at} />
      </p>
    </li>
  );
}
