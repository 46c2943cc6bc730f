import { Link } from "wouter";
import { api } from "../../app-state";
import type { CallInfo, Calls } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { type Resource, useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { AnswerCard } from "../../parts/answer-card/AnswerCard";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import { groupByDay, type StoryEntry } from "../../site/story";
import { effects, outcomeOf, runTitle, splitLooks, toneOf, whoCalls } from "../../words/call-words";
import { dayInWords } from "../../words/time-words";
import styles from "../approvals/Approvals.module.css";
import { CallDetails, kindOf } from "../approvals/CallBody";
import activity from "./Activity.module.css";

const PAGE_SIZE = 50;
const newest = () => api.calls({ limit: PAGE_SIZE });

/** The latest calls, whoever made them and whether or not anybody was asked. */
export function Runs() {
  const pages = useResource(newest);
  return (
    <Page title={words.activityPage.tabs.runs} intro="What people, scripts and agents ran, and the outcome.">
      <Loaded resource={pages}>
        {(page) =>
          page.calls.length === 0 ? (
            <Empty icon="clock" title="No runs yet">
              Everything agents, programs and people do with tools is listed here, with its outcome.
            </Empty>
          ) : (
            <RunRows page={page} pages={pages} />
          )
        }
      </Loaded>
    </Page>
  );
}

function RunRows({ page, pages }: { page: Calls; pages: Resource<Calls> }) {
  const { next } = page;
  const older = useAction(async (before: string) => {
    const more = await api.calls({ limit: PAGE_SIZE, before });
    pages.replace((shown) => ({ ...more, calls: [...shown.calls, ...more.calls] }));
  });
  return (
    <div className={styles.recent}>
      {groupByDay(page.calls, runEntry).map(({ day, groups }) => (
        <section key={day} className={activity.day}>
          <h2>{dayInWords(day, Date.now())}</h2>
          <Rows label={dayInWords(day, Date.now())}>
            {groups.map(({ items }) => (
              <li key={items.at(-1)?.id}>
                <RunGroup calls={items} />
              </li>
            ))}
          </Rows>
        </section>
      ))}
      <ProblemNote problem={older.problem} />
      {next && (
        <Button busy={older.pending} onClick={() => older.run(next)}>
          {words.actions.showOlder}
        </Button>
      )}
    </div>
  );
}

const runEntry = ({ at, caller, callerKind, turn }: CallInfo): StoryEntry => ({
  at,
  author: `${callerKind} ${caller}`,
  request: turn ?? undefined,
});

/** The calls of one request, or of one caller in one sitting, the newest first. What only looked is one line. */
function RunGroup({ calls }: { calls: readonly CallInfo[] }) {
  const { user } = useSession();
  const [newest] = calls;
  if (newest === undefined) return null;
  const { looks, others } = splitLooks(calls);
  const kind = kindOf(newest);
  return (
    <div className={activity.runs}>
      <p className={styles.faint}>
        <bdi>{whoCalls(newest, user?.id)}</bdi>
        {kind && ` (${kind})`} · <When at={newest.at} />
      </p>
      {others.map((call) => (
        <RunRow key={call.id} call={call} />
      ))}
      {looks.length > 0 && (
        <details className={styles.details}>
          <summary>{words.agent.lookedAt(looks.length)}</summary>
          {looks.map((call) => (
            <RunRow key={call.id} call={call} />
          ))}
        </details>
      )}
    </div>
  );
}

function RunRow({ call }: { call: CallInfo }) {
  const did = effects(call);
  const came = outcomeOf(call).text;
  return (
    <article className={styles.call}>
      <h3>
        {runTitle(call)} <StateBadge state={call.state} />
      </h3>
      {did.length > 0 && <p className={styles.did}>{did.join(" · ")}</p>}
      {came !== words.approvals.outcomes[call.state] && <p>{came}</p>}
      {call.state === "waiting" && (
        <p>
          <Link href={`/approvals/${call.card}`}>{words.approvals.toTheCard}</Link>
        </p>
      )}
      {call.cardOfAnswer && <AnswerCard card={call.cardOfAnswer} />}
      <CallDetails call={call} withArguments />
    </article>
  );
}

const TONES = { calm: "accent", plain: "plain", caution: "caution", danger: "danger" } as const;

/** That something went well needs no sign of its own. */
function StateBadge({ state }: { state: string }) {
  if (state === "done") return null;
  return <Badge tone={TONES[toneOf(state)]}>{words.approvals.states[state] ?? state}</Badge>;
}
