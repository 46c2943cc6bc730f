import { expect, test } from "vitest";
import type { BreadcrumbsApi } from "../../../api/breadcrumbs-api";
import { ApiError } from "../../../api/problem";
import type { RecordView } from "../../../generated/api";
import { followRecords, withChange } from "./live-records";

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

test("a list whose newest record is older than all events follows what is left of them", async () => {
  const asked: number[] = [];
  let stop = () => {};
  const api = {
    list: async () => ({ breadcrumbs: [record("old", 7)], count: 1 }),
    async *follow({ after }: { after: number }) {
      asked.push(after);
      if (after === 7) throw new ApiError({ status: 409, code: "reload_required", detail: "Gone.", errors: {} });
      yield { event: "created", data: { seq: 90, id: "new", breadcrumb: record("new", 90) } };
    },
  } as unknown as BreadcrumbsApi;
  const pause = async () => {
    if (asked.length === 3) stop();
  };
  const following = followRecords({ api, filter: {}, pause });
  stop = following.stop;
  await expect.poll(() => asked.length).toBe(3);
  expect(asked).toEqual([7, 0, 90]);
  expect(following.store.get().records.map(({ id }) => id)).toEqual(["new", "old"]);
});
