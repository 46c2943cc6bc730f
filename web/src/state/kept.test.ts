import { expect, test } from "vitest";
import { createKept } from "./kept";

function shelf(broken = false) {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem(key: string, value: string) {
      if (broken) throw new Error("full");
      values.set(key, value);
    },
  };
}

test("what one person put away stays away for them and not for others, also after a reload", () => {
  const storage = shelf();
  createKept(storage, "ana").put("tour");
  expect(createKept(storage, "ana").get().has("tour")).toBe(true);
  expect(createKept(storage, "bruno").get().has("tour")).toBe(false);
});

test("two tabs do not forget what the other put away", () => {
  const storage = shelf();
  const [one, other] = [createKept(storage, "ana"), createKept(storage, "ana")];
  one.put("tour");
  other.put("checklist");
  expect([...createKept(storage, "ana").get()]).toEqual(["tour", "checklist"]);
});

test("without storage, or with nonsense in it, it works until the page is left", () => {
  const kept = createKept(shelf(true), "ana");
  kept.put("tour");
  expect(kept.get().has("tour")).toBe(true);
  const storage = shelf();
  storage.values.set("sitewright.kept.ana", "{");
  expect(createKept(storage, "ana").get().size).toBe(0);
});
