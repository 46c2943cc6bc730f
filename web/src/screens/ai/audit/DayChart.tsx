import { useId } from "react";
import type { UsageByDay } from "../../../generated/api";
import { words } from "../../../glossary";
import { useMedia } from "../../../hooks/use-media";
import { axisTop, dayName, daysOf, formatCost, formatNumber, formatPrice } from "../../../words/usage-words";
import styles from "./Audit.module.css";

const HEIGHT = 200;
const LEFT = 48;
const BOTTOM = 24;
const TOP = 8;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;

/** A bar for each day of the range. Where nothing has a price, the bars are runs. The same numbers stand below as a table. */
export function DayChart({ byDay, days }: { byDay: readonly UsageByDay[]; days: number }) {
  const titleId = useId();
  const narrow = useMedia("(max-width: 40rem)");
  const width = narrow ? 340 : 800;
  const all = daysOf(days, new Date());
  const used = new Map(byDay.map((row) => [row.day, row]));
  const hasCost = byDay.some(({ costUsd }) => costUsd > 0);
  const amount = (day: string) => (hasCost ? used.get(day)?.costUsd : used.get(day)?.runs) ?? 0;
  const say = (value: number) => (hasCost ? formatCost(value) : words.ai.runs(value));
  const top = axisTop(Math.max(...all.map(amount)));
  const step = (width - LEFT) / all.length;
  const bar = Math.max(2, Math.min(36, step * 0.68));
  const dearest = all.reduce((best, day) => (amount(day) > amount(best) ? day : best), all[0] ?? "");
  return (
    <figure className={styles.chart}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-labelledby={titleId}>
        <title id={titleId}>
          {`${hasCost ? words.ai.perDay : "Runs per day"}, ${dayName(all[0] ?? "")} to ${dayName(all.at(-1) ?? "")}; most on ${dayName(dearest)}: ${say(amount(dearest))}`}
        </title>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line className={styles.grid} x1={LEFT} x2={width} y1={yOf(part)} y2={yOf(part)} />
            <text className={styles.tick} x={LEFT - 8} y={yOf(part) + 4} textAnchor="end">
              {hasCost ? formatPrice(part * top) : formatNumber(part * top)}
            </text>
          </g>
        ))}
        {all.map((day, index) => {
          const height = (amount(day) / top) * PLOT_HEIGHT;
          return (
            <rect
              key={day}
              className={styles.bar}
              x={LEFT + index * step + (step - bar) / 2}
              y={TOP + PLOT_HEIGHT - height}
              width={bar}
              height={height}
              rx={Math.min(2, bar / 4)}
            >
              <title>{`${dayName(day)}: ${say(amount(day))}`}</title>
            </rect>
          );
        })}
        {labelled(all, narrow ? 3 : 7).map(({ day, index }) => (
          <text key={day} className={styles.tick} x={LEFT + (index + 0.5) * step} y={HEIGHT - 6} textAnchor="middle">
            {dayName(day)}
          </text>
        ))}
      </svg>
      <details className={styles.asTable}>
        <summary>Show as a table</summary>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Runs</th>
              <th scope="col">Tokens</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {byDay.map((row) => (
              <tr key={row.day}>
                <th scope="row">{dayName(row.day)}</th>
                <td>{formatNumber(row.runs)}</td>
                <td>{formatNumber(row.totalTokens)}</td>
                <td>{formatCost(row.costUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function yOf(part: number): number {
  return TOP + PLOT_HEIGHT * (1 - part);
}

/** Not more days than there is room for have their name under them, evenly spread and away from the edges. */
function labelled(days: readonly string[], most: number): { day: string; index: number }[] {
  const every = Math.ceil(days.length / most);
  const first = Math.floor((days.length % every || every) / 2);
  return days.flatMap((day, index) => (index % every === first % every ? [{ day, index }] : []));
}
