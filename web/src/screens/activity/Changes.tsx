import { words } from "../../glossary";
import { Button, ButtonLink } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { byDay } from "../../site/history";
import { dayInWords } from "../../words/time-words";
import { HistoryFilters } from "../site/history/HistoryFilters";
import { useHistory } from "../site/history/use-history";
import { useNames } from "../site/history/use-names";
import styles from "./Activity.module.css";
import { ChangeGroup } from "./ChangeGroup";

const LINES_MAX = 6;

/** What was changed on the site, whoever did it. */
export function Changes() {
  const { pages, filter, setFilter, options, older } = useHistory();
  const nameOf = useNames();
  const isFiltered = filter.author !== undefined || filter.document !== undefined;
  return (
    <Page
      title={words.activityPage.tabs.changes}
      intro="Changes to the site, newest first. You can revert them in the editor’s history."
      action={<ButtonLink href="/site">Open the editor</ButtonLink>}
    >
      <div className={styles.entries}>
        <HistoryFilters {...{ filter, setFilter, options, nameOf }} />
        <Loaded resource={pages}>
          {({ changes, next }) => (
            <>
              {changes.length === 0 &&
                (isFiltered ? (
                  <Empty icon="clock" title={words.history.noMatch} />
                ) : (
                  <Empty icon="clock" title={words.history.empty}>
                    Changes made by you, others and the assistant are listed here.
                  </Empty>
                ))}
              {byDay(changes).map(({ day, entries }) => (
                <section key={day} className={styles.day}>
                  <h2>{dayInWords(day, Date.now())}</h2>
                  <Rows label={dayInWords(day, Date.now())}>
                    {entries.map((entry) => (
                      <li key={(entry.changes.at(-1) ?? entry.undone.at(-1))?.id}>
                        <ChangeGroup entry={entry} nameOf={nameOf} most={LINES_MAX} />
                      </li>
                    ))}
                  </Rows>
                </section>
              ))}
              <ProblemNote problem={older.problem} />
              {typeof next === "number" && (
                <Button busy={older.pending} onClick={() => older.run(next)}>
                  {words.activityPage.older}
                </Button>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}
