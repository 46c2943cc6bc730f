import { Link } from "wouter";
import { api } from "../../app-state";
import type { CallInfo, Calls } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { type Resource, useResource } from "../../hooks/use-resource";
import { AnswerCard } from "../../parts/answer-card/AnswerCard";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import { effects, outcomeOf, toneOf, toolTitle, whoCalls } from "../../words/call-words";
import styles from "../approvals/Approvals.module.css";
import { CallDetails, kindOf } from "../approvals/CallBody";

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
      <Rows label={words.activityPage.tabs.runs}>
        {page.calls.map((call) => (
          <li key={call.id}>
            <RunRow call={call} />
          </li>
        ))}
      </Rows>
      <ProblemNote problem={older.problem} />
      {next && (
        <Button busy={older.pending} onClick={() => older.run(next)}>
          {words.actions.showOlder}
        </Button>
      )}
    </div>
  );
}

function RunRow({ call }: { call: CallInfo }) {
  const kind = kindOf(call);
  const did = effects(call);
  const came = outcomeOf(call).text;
  return (
    <div className={styles.call}>
      <div className={styles.head}>
        <h2>
          {toolTitle(call)} <StateBadge state={call.state} />
        </h2>
        <p className={styles.faint}>
          <bdi>{whoCalls(call)}</bdi>
          {kind && ` (${kind})`} · <When at={call.at} />
        </p>
      </div>
      {did.length > 0 && <p className={styles.did}>{did.join(" · ")}</p>}
      {came !== words.approvals.outcomes[call.state] && <p>{came}</p>}
      {call.state === "waiting" && (
        <p>
          <Link href={`/approvals/${call.card}`}>{words.approvals.toTheCard}</Link>
        </p>
      )}
      {call.cardOfAnswer && <AnswerCard card={call.cardOfAnswer} />}
      <CallDetails call={call} withArguments />
    </div>
  );
}

const TONES = { calm: "accent", plain: "plain", caution: "caution", danger: "danger" } as const;

function StateBadge({ state }: { state: string }) {
  return <Badge tone={TONES[toneOf(state)]}>{words.approvals.states[state] ?? state}</Badge>;
}
