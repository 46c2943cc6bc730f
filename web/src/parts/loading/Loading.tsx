import type { ReactNode } from "react";
import { words } from "../../glossary";
import type { Resource } from "../../hooks/use-resource";
import { ProblemPanel } from "../problem/Problem";
import styles from "./Loading.module.css";

/** Holds the place of rows that are on their way. */
export function LoadingRows({ count = 3 }: { count?: number }) {
  return (
    <div className={styles.rows} role="status">
      <span className="visually-hidden">{words.states.loading}</span>
      {Array.from({ length: count }, (_, index) => index).map((row) => (
        <div key={row} className={styles.row}>
          <span />
          <span />
        </div>
      ))}
    </div>
  );
}

/** Holds the place of a screen whose code is on its way. Blank for the usual short wait, so that nothing flickers. */
export function LoadingScreen() {
  return (
    <div className={styles.screen}>
      <h1 className="visually-hidden">{words.states.loading}</h1>
      <LoadingRows />
    </div>
  );
}

/** Shows a resource once it is here, and otherwise why it is not. */
export function Loaded<T>({ resource, children }: { resource: Resource<T>; children(value: T): ReactNode }) {
  const { state, reload } = resource;
  if (state.status === "loading") return <LoadingRows />;
  if (state.status === "failed") return <ProblemPanel error={state.error} onRetry={reload} />;
  return children(state.value);
}
