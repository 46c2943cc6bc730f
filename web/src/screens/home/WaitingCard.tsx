import { Link } from "wouter";
import { words } from "../../glossary";
import styles from "./Home.module.css";

/** What only a person can decide. */
export function WaitingCard(counts: { waiting: number; unknownCalls: number; unresolvedMissions: number }) {
  const { waiting, unknownCalls, unresolvedMissions } = counts;
  const isUrgent = waiting + unknownCalls + unresolvedMissions > 0;
  return (
    <section className={styles.card} aria-labelledby="home-waiting" data-urgent={isUrgent}>
      <h2 id="home-waiting">{words.activityPage.tabs.waiting}</h2>
      {!isUrgent && <p className={styles.faint}>{words.home.nothingWaits}</p>}
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
    </section>
  );
}
