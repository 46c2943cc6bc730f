import type { ApiError } from "../../api/problem";
import { words } from "../../glossary";
import { Mark } from "../../parts/mark/Mark";
import { ProblemPanel } from "../../parts/problem/Problem";
import styles from "./Splash.module.css";

/** Until it is known who is there. Stays blank for the usual short wait, so that nothing flickers. */
export function Splash() {
  return (
    <main className={styles.splash}>
      <h1 className="visually-hidden">{words.product}</h1>
      <div className={styles.waiting} role="status" aria-label={words.states.loading}>
        <Mark />
      </div>
    </main>
  );
}

export function Unavailable({ error, onRetry }: { error: ApiError; onRetry(): void }) {
  return (
    <main className={styles.splash}>
      <title>{words.product}</title>
      <h1 className="visually-hidden">{words.product}</h1>
      <ProblemPanel error={error} onRetry={onRetry} />
    </main>
  );
}
