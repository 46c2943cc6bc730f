import { useCallback, useState } from "react";
import { historyApi } from "../../app-state";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { LoadingRows } from "../../parts/loading/Loading";
import { ProblemPanel } from "../../parts/problem/Problem";
import { Lines } from "../site/history/HistoryRow";
import styles from "./Turn.module.css";

/** How far back the changes of a turn are looked for. */
const LOOK_AT = 200;

/** What each change of a turn did, for whoever wants to know exactly. */
export function BeforeAfter({ turnId }: { turnId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.lines} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.agent.beforeAfter}</summary>
      {isOpen && <Changes turnId={turnId} />}
    </details>
  );
}

function Changes({ turnId }: { turnId: string }) {
  const load = useCallback(async () => {
    const { changes } = await historyApi.list({ limit: LOOK_AT });
    return changes.filter(({ turn }) => turn === turnId).toReversed();
  }, [turnId]);
  const { state, reload } = useResource(load);
  if (state.status === "loading") return <LoadingRows />;
  if (state.status === "failed") return <ProblemPanel error={state.error} onRetry={reload} />;
  return state.value.map(({ seq }) => <Lines key={seq} seq={seq} />);
}
