import { may } from "../../access/permissions";
import { api } from "../../app-state";
import type { AuditPage, User, Users } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { type Resource, useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import { logLines, namesFrom } from "../../words/activity-words";
import styles from "./Activity.module.css";

const PAGE_SIZE = 50;
const newest = () => api.audit(PAGE_SIZE);
/** Whoever may not see the list of people reads the activity without their names. */
const nobody = async (): Promise<Users> => ({ users: [] });

/** The activity log: what happened on the site, kept so that nobody can change it afterwards. */
export function Log() {
  const pages = useResource(newest);
  const { capabilities } = useSession();
  const people = useResource(may(capabilities, { needs: "users.manage" }) ? api.users : nobody);
  return (
    <Page
      title={words.activityPage.tabs.log}
      intro="Who did what on this site, newest first. Entries can’t be changed afterwards."
    >
      <Loaded resource={pages}>
        {(page) =>
          page.entries.length === 0 ? (
            <Empty icon="clock" title="No activity yet">
              Sign-ins, invitations and every other change will be listed here.
            </Empty>
          ) : (
            <Entries
              page={page}
              pages={pages}
              people={people.state.status === "ready" ? people.state.value.users : []}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

interface EntriesProps {
  page: AuditPage;
  pages: Resource<AuditPage>;
  people: readonly User[];
}

function Entries({ page, pages, people }: EntriesProps) {
  const { next } = page;
  const names = namesFrom(people, page.entries);
  const older = useAction(async (before: string) => {
    const more = await api.audit(PAGE_SIZE, before);
    pages.replace((shown) => ({ ...more, entries: [...shown.entries, ...more.entries] }));
  });
  return (
    <div className={styles.entries}>
      <Rows label={words.activityPage.tabs.log}>
        {logLines(page.entries, names).map(({ id, at, what, who, count }) => (
          <li key={id} className={styles.entry}>
            <p>{words.history.times(what, count)}</p>
            <p className={styles.about}>
              {who} · <When at={at} />
            </p>
          </li>
        ))}
      </Rows>
      <ProblemNote problem={older.problem} />
      {next && (
        <Button busy={older.pending} onClick={() => older.run(next)}>
          {words.actions.showMore}
        </Button>
      )}
    </div>
  );
}
