import { useEffect, useState, useSyncExternalStore } from "react";
import type { RecordFilter } from "../../../api/breadcrumbs-api";
import { breadcrumbsApi } from "../../../app-state";
import type { RecordView } from "../../../generated/api";
import { words } from "../../../glossary";
import { Rows } from "../../../parts/card/Card";
import { Empty } from "../../../parts/empty/Empty";
import { Field, Select } from "../../../parts/field/Field";
import { LoadingRows } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { ProblemNote } from "../../../parts/problem/Problem";
import { pause } from "../../../state/pause";
import { createStore } from "../../../state/store";
import { followRecords, type LiveRecords } from "./live-records";
import { RecordRow } from "./RecordRow";
import styles from "./Records.module.css";

const { records: text } = words.activityPage;
const SCHEMAS = ["agent.response.v1", "tool.request.v1", "tool.response.v1", "tool.config.v1"] as const;
const NOTHING = createStore<LiveRecords>({ status: "loading", records: [] });

type Filter = RecordFilter & { q?: string };

/** The records as they are written, with filters. */
export function Records() {
  const [filter, setFilter] = useState<Filter>({});
  const { status, records, error } = useLiveRecords(filter);
  return (
    <Page title={words.activityPage.tabs.records} intro={text.intro}>
      <Filters filter={filter} onChange={setFilter} />
      <ProblemNote problem={error} />
      {status === "loading" && <LoadingRows />}
      {status === "live" && records.length === 0 && (
        <Empty icon="clock" title={text.none}>
          {text.noneAbout}
        </Empty>
      )}
      {records.length > 0 && <RecordRows records={records} />}
    </Page>
  );
}

function RecordRows({ records }: { records: readonly RecordView[] }) {
  return (
    <Rows label={words.activityPage.tabs.records}>
      {records.map((record) => (
        <li key={record.id}>
          <RecordRow record={record} />
        </li>
      ))}
    </Rows>
  );
}

function Filters({ filter, onChange }: { filter: Filter; onChange(filter: Filter): void }) {
  const given = (value: string) => (value.trim() === "" ? undefined : value.trim());
  return (
    <form
      className={styles.filters}
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const read = (name: string) => given(String(data.get(name) ?? ""));
        onChange({ schema_name: read("schema"), tag: read("tag"), q: read("q") });
      }}
    >
      <Select
        label={text.schema}
        name="schema"
        defaultValue={filter.schema_name ?? ""}
        onChange={(event) => event.currentTarget.form?.requestSubmit()}
      >
        <option value="">{text.anySchema}</option>
        {SCHEMAS.map((schema) => (
          <option key={schema}>{schema}</option>
        ))}
      </Select>
      <Field label={text.tag} name="tag" placeholder="session:…" onBlur={submit} />
      <Field label={text.search} name="q" type="search" onBlur={submit} />
      {/* Without one, the Enter key does nothing in a form with several fields. */}
      <button type="submit" hidden />
    </form>
  );
}

function submit(event: React.FocusEvent<HTMLInputElement>): void {
  event.currentTarget.form?.requestSubmit();
}

function useLiveRecords({ schema_name, tag, q }: Filter): LiveRecords {
  const [store, setStore] = useState(NOTHING);
  useEffect(() => {
    const following = followRecords({ api: breadcrumbsApi, filter: { schema_name, tag, q }, pause });
    setStore(following.store);
    return following.stop;
  }, [schema_name, tag, q]);
  return useSyncExternalStore(store.subscribe, store.get);
}
