import { useCallback, useState } from "react";
import { aiApi } from "../../../app-state";
import type { AiAudit, UsageTotals } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { ButtonLink } from "../../../parts/button/Button";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded } from "../../../parts/loading/Loading";
import { Page, Section } from "../../../parts/page/Page";
import { Note } from "../../../parts/problem/Problem";
import { Segments } from "../../../parts/segments/Segments";
import { formatCompact, formatCost, formatNumber, rangeStart } from "../../../words/usage-words";
import { visible } from "../../../words/visible-text";
import { partName } from "../parts";
import styles from "./Audit.module.css";
import { DayChart } from "./DayChart";
import { UsageTable } from "./UsageTable";

const RANGES = ["1", "7", "30", "90"] as const;
type Range = (typeof RANGES)[number];

/** What the assistant used: in all, by day, model, person and part. */
export function AuditTab() {
  const [range, setRange] = useState<Range>("30");
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const usage = useResource(
    useCallback(() => aiApi.audit(rangeStart(Number(range), new Date()), timeZone), [range, timeZone]),
  );
  return (
    <Page
      title={words.ai.tabs.audit}
      intro={`What the assistant used and what it cost, where prices are known. Days are in ${timeZone.replace(/_/g, " ")}.`}
      action={
        <Segments<Range>
          title={words.ai.range}
          options={RANGES.map((value) => ({
            value,
            label: value === "1" ? words.ai.today : words.ai.days(Number(value)),
          }))}
          chosen={range}
          onChoose={setRange}
        />
      }
    >
      <Loaded resource={usage}>
        {(value) =>
          value.totals.runs === 0 ? <NoUsage days={Number(range)} /> : <Usage value={value} days={Number(range)} />
        }
      </Loaded>
    </Page>
  );
}

function NoUsage({ days }: { days: number }) {
  return (
    <Empty
      icon="activity"
      title={days === 1 ? "No usage today" : `No usage in the last ${days} days`}
      action={<ButtonLink href="/site">Open the editor</ButtonLink>}
    >
      When someone asks the assistant for something, its cost is listed here. The built-in commands are free and not
      counted.
    </Empty>
  );
}

function Usage({ value, days }: { value: AiAudit; days: number }) {
  const { totals } = value;
  return (
    <>
      <dl className={styles.totals}>
        <Total name="Cost" value={formatCost(totals.costUsd)} />
        <Total name="Runs" value={formatNumber(totals.runs)} />
        <Total name="Tokens" value={formatCompact(totals.totalTokens)} />
        <Total name="From the cache" value={cachedShare(totals)} />
      </dl>
      {totals.unpricedRuns > 0 && (
        <div className={styles.note}>
          <Note tone="plain">{words.ai.unpriced(totals.unpricedRuns)}</Note>
        </div>
      )}
      <Section title={words.ai.perDay}>
        <DayChart byDay={value.byDay} days={days} />
      </Section>
      <Section title="By model" intro="Which models were used. Input and output are in tokens.">
        <UsageTable
          label="By model"
          heading="Model"
          rows={value.byModel.map((row) => ({
            key: `${row.providerId}/${row.modelId}`,
            name: visible(row.modelId),
            about: visible(row.providerId),
            usage: row,
          }))}
        />
      </Section>
      <Section
        title="By person"
        intro="Who made the requests. Usage by an API token counts for the person who created it."
      >
        <UsageTable
          label="By person"
          heading="Person"
          rows={value.byUser.map((row) => ({ key: row.userId, name: personName(row), usage: row }))}
        />
      </Section>
      <Section title="By area" intro="Where the requests were made.">
        <UsageTable
          label="By area"
          heading="Area"
          rows={value.byScope.map((row) => ({ key: row.scope, name: partName(row.scope), usage: row }))}
        />
      </Section>
    </>
  );
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** How much of all input came from a cache. */
function cachedShare({
  promptTokens,
  cacheReadTokens,
  cacheCreationTokens,
  completionTokens,
  totalTokens,
}: UsageTotals) {
  const input = Math.max(totalTokens - completionTokens, promptTokens, cacheReadTokens + cacheCreationTokens);
  return input === 0 ? "0%" : `${Math.round((100 * cacheReadTokens) / input)}%`;
}

function personName({ userId, name }: { userId: string; name?: string | null }): string {
  if (name) return visible(name);
  return userId === "local" ? words.actors.local : words.actors.gone;
}
