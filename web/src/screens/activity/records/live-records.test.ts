import { expect, test } from "vitest";
import type { RecordView } from "../../../generated/api";
import { withChange } from "./live-records";

const record = (id: string, seq: number, version = 1): RecordView => ({
  id,
  seq,
  version,
  schema_name: "note.v1",
  title: id,
  tags: [],
  context: {},
  withheld: false,
  visibility: "team",
  sensitivity: "low",
  untrusted: false,
  owner: "local",
  created_by: "local",
  created_at: 0,
  updated_by: "local",
  updated_at: 0,
});

test("records are the newest first, and each is there once", () => {
  const two = withChange([record("a", 1)], { id: "b", breadcrumb: record("b", 2) });
  expect(two.map(({ id }) => id)).toEqual(["b", "a"]);
  const changed = withChange(two, { id: "a", breadcrumb: record("a", 1, 2) });
  expect(changed.map(({ id, version }) => `${id}${version}`)).toEqual(["b1", "a2"]);
  expect(withChange(changed, { id: "b" }).map(({ id }) => id)).toEqual(["a"]);
});

test("a list that grows drops the oldest", () => {
  let records: RecordView[] = [];
  for (let seq = 1; seq <= 250; seq++)
    records = withChange(records, { id: `r${seq}`, breadcrumb: record(`r${seq}`, seq) });
  expect([records.length, records[0]?.seq, records.at(-1)?.seq]).toEqual([200, 250, 51]);
});
