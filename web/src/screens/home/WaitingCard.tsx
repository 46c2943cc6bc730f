import { Link } from "wouter";
import { words } from "../../glossary";
import styles from "./Home.module.css";

/** What only a person can decide. */
export function WaitingCard({ waiting, unknownCalls }: { waiting: number; unknownCalls: number }) {
  return (
    <section className={styles.card} aria-labelledby="home-waiting" data-urgent={waiting + unknownCalls > 0}>
      <h2 id="home-waiting">{words.activityPage.tabs.waiting}</h2>
      {waiting + unknownCalls === 0 && <p className={styles.faint}>{words.home.nothingWaits}</p>}
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
    </section>
  );
}
