import { Link } from "wouter";
import type { Budget, UsageTotals } from "../../generated/api";
import { words } from "../../glossary";
import { formatCompact, formatCost } from "../../words/usage-words";
import styles from "./Home.module.css";

/** What the assistant cost this month, held against what a person may use. */
export function UsageCard({ budget, usage }: { budget: Budget; usage?: UsageTotals }) {
  const { month, caps } = budget;
  const cap = caps.userMonthUsd;
  return (
    <section className={styles.card} aria-labelledby="home-usage">
      <h2 id="home-usage">{words.home.usage}</h2>
      <p className={styles.big}>
        {formatCost(month.costUsd)} {typeof cap === "number" && <small>{words.home.ofBudget(formatCost(cap))}</small>}
      </p>
      {typeof cap === "number" && cap > 0 && (
        <meter
          className={styles.meter}
          min={0}
          max={cap}
          high={cap * 0.8}
          value={Math.min(month.costUsd, cap)}
          aria-label={words.home.yourUsage}
        />
      )}
      <p className={styles.faint}>
        {words.home.tokens(formatCompact(month.totalTokens))}
        {month.hasUnknownCost && ` · ${words.home.partlyUnpriced}`}
      </p>
      {usage && (
        <p className={styles.faint}>
          {words.home.everybody(formatCost(usage.costUsd))} · <Link href="/ai/audit">{words.home.details}</Link>
        </p>
      )}
    </section>
  );
}
