import type { UsageTotals } from "../../../generated/api";
import { formatCost, formatNumber } from "../../../words/usage-words";
import styles from "./Audit.module.css";

interface UsageRow {
  key: string;
  name: string;
  about?: string;
  usage: UsageTotals;
}

interface UsageTableProps {
  label: string;
  /** What stands in the first column. */
  heading: string;
  rows: readonly UsageRow[];
}

const COLUMNS: readonly { title: string; text(usage: UsageTotals): string }[] = [
  { title: "Runs", text: ({ runs }) => formatNumber(runs) },
  { title: "Input", text: ({ promptTokens }) => formatNumber(promptTokens) },
  { title: "From cache", text: ({ cacheReadTokens }) => formatNumber(cacheReadTokens) },
  { title: "Output", text: ({ completionTokens }) => formatNumber(completionTokens) },
  { title: "Cost", text: ({ costUsd }) => formatCost(costUsd) },
];

/** Sums of usage side by side; numbers are tokens where nothing else is said. */
export function UsageTable({ label, heading, rows }: UsageTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable to be scrolled by keyboard.
    <section className={styles.scroll} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {COLUMNS.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.length === 0 && (
            <tr>
              <th scope="row" colSpan={COLUMNS.length + 1}>
                No usage.
              </th>
            </tr>
          )}
          {rows.map(({ key, name, about, usage }) => (
            <tr key={key}>
              <th scope="row">
                <bdi>{name}</bdi> {about && <small>{about}</small>}
              </th>
              {COLUMNS.map(({ title, text }) => (
                <td key={title}>{text(usage)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
