import { Link } from "wouter";
import { words } from "../../glossary";
import { visible } from "../../words/visible-text";
import styles from "./Home.module.css";

interface WaitingCardProps {
  waiting: number;
  unknownCalls: number;
  unresolvedMissions: number;
  /** What the publish check found. */
  problems: readonly string[];
}

/** What only a person can decide or put right. */
export function WaitingCard({ waiting, unknownCalls, unresolvedMissions, problems }: WaitingCardProps) {
  const isUrgent = waiting + unknownCalls + unresolvedMissions > 0;
  return (
    <section className={styles.card} aria-labelledby="home-waiting" data-urgent={isUrgent}>
      <h2 id="home-waiting">{words.home.attention}</h2>
      {!isUrgent && problems.length === 0 && <p className={styles.faint}>{words.home.nothingWaits}</p>}
      {waiting > 0 && (
        <p>
          <Link href="/approvals">{words.home.waiting(waiting)}</Link>
        </p>
      )}
      {unknownCalls > 0 && (
        <p>
          <Link href="/approvals/unknown">{words.home.unknown(unknownCalls)}</Link>
        </p>
      )}
      {unresolvedMissions > 0 && (
        <p>
          <Link href="/activity/missions">{words.home.unresolved(unresolvedMissions)}</Link>
        </p>
      )}
      {problems.length > 0 && (
        <details className={styles.problems}>
          <summary>{words.home.problems(problems.length)}</summary>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{visible(problem)}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
