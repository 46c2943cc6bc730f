import { useState } from "react";
import { breadcrumbsApi } from "../../../app-state";
import type { RecordHistory, RecordView } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { ProblemNote } from "../../../parts/problem/Problem";
import { When } from "../../../parts/When";
import { visible } from "../../../words/visible-text";
import styles from "./Records.module.css";

const { records: text } = words.activityPage;

/** One record: what it is, its content and, when asked for, its versions. */
export function RecordRow({ record }: { record: RecordView }) {
  const [history, setHistory] = useState<RecordHistory>();
  const load = useAction(async () => setHistory(await breadcrumbsApi.history(record.id)));
  const sensitive = text.sensitive[record.sensitivity];
  return (
    <div className={styles.record}>
      <div className={styles.head}>
        <h2>
          {visible(record.title)} <Badge tone={toneOf(record)}>{record.schema_name}</Badge>{" "}
          {sensitive && <Badge tone="caution">{sensitive}</Badge>}
        </h2>
        <p className={styles.about}>
          {text.version(record.version)} · <When at={record.updated_at} />
        </p>
      </div>
      {record.tags.length > 0 && <p className={styles.tags}>{record.tags.map(visible).join(" · ")}</p>}
      <details>
        <summary>{text.content}</summary>
        {record.withheld && <p className={styles.about}>{sensitive ? text.withheld : text.partlyWithheld}</p>}
        {!(record.withheld && sensitive) && <Json value={record.context} />}
        {record.version > 1 && history === undefined && (
          <Button busy={load.pending} onClick={() => load.run()}>
            {text.showHistory}
          </Button>
        )}
        <ProblemNote problem={load.problem} />
        {history && <Versions history={history} />}
      </details>
    </div>
  );
}

function Versions({ history }: { history: RecordHistory }) {
  return (
    <ol className={styles.versions} aria-label={text.history}>
      {history.versions.map((version) => (
        <li key={version.version}>
          <p className={styles.about}>
            {text.version(version.version)} · <When at={version.updated_at} />
          </p>
          <Json value={version.context} />
        </li>
      ))}
    </ol>
  );
}

export function Json({ value }: { value: unknown }) {
  return <pre className={styles.json}>{visible(JSON.stringify(value, null, 2) ?? "")}</pre>;
}

function toneOf({ context }: RecordView): "plain" | "accent" | "danger" {
  const status = typeof context === "object" && context !== null && "status" in context ? context.status : undefined;
  if (status === "error") return "danger";
  return status === "success" ? "accent" : "plain";
}
