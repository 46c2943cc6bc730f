import { expect, test } from "vitest";
import { ariaKeys, isPressed, keyNames } from "../screens/site/keys";
import { type Action, createActions, labelOf } from "./actions";

const action = (id: string, part: Partial<Action> = {}): Action => ({
  id,
  label: id,
  group: "element",
  run: () => undefined,
  ...part,
});

test("actions are listed by group while their owner is there", () => {
  const actions = createActions();
  const leave = actions.register([action("view.fit", { group: "view" }), action("element.delete")]);
  actions.register([action("element.copy")]);
  expect(actions.list().map(({ id }) => id)).toEqual(["element.delete", "element.copy", "view.fit"]);
  leave();
  expect(actions.list().map(({ id }) => id)).toEqual(["element.copy"]);
});

test("a newer owner of an action stands in for the older one", () => {
  const actions = createActions();
  actions.register([action("site.publish", { label: "Old" })]);
  const leave = actions.register([action("site.publish", { label: () => "New" })]);
  const label = () => actions.list().map(labelOf);
  expect(label()).toEqual(["New"]);
  leave();
  expect(label()).toEqual(["Old"]);
});

test("what cannot be done is not done", () => {
  const actions = createActions();
  const done: string[] = [];
  actions.register([
    action("one", { isAvailable: () => false, run: () => void done.push("one") }),
    action("two", { run: () => void done.push("two") }),
  ]);
  for (const id of ["one", "two", "three"]) actions.run(id);
  expect(done).toEqual(["two"]);
});

test("keys are those of the platform, and a sign is a sign with Shift or without", () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  const is = (keys: string, event: Partial<KeyboardEvent>, mac = false) =>
    isPressed(keys, { ...none, key: "", code: "", ...event }, mac);
  expect(is("Mod+D", { key: "d", ctrlKey: true })).toBe(true);
  expect(is("Mod+D", { key: "d", metaKey: true })).toBe(false);
  expect(is("Mod+D", { key: "d", metaKey: true }, true)).toBe(true);
  expect(is("Mod+Z", { key: "Z", ctrlKey: true, shiftKey: true })).toBe(false);
  expect(is("Mod+Shift+Z", { key: "Z", ctrlKey: true, shiftKey: true })).toBe(true);
  expect(is("?", { key: "?", shiftKey: true })).toBe(true);
  expect(is("Mod+Plus", { key: "+", ctrlKey: true, shiftKey: true })).toBe(true);
  expect(is("Alt+1", { key: "¡", code: "Digit1", altKey: true }, true)).toBe(true);
  expect(is("Delete", { key: "Delete", altKey: true })).toBe(false);
});

test("keys are written as the keyboard has them", () => {
  expect(keyNames("Mod+Shift+Z", false)).toEqual(["Ctrl", "Shift", "Z"]);
  expect(keyNames("Mod+Shift+Z", true)).toEqual(["⌘", "⇧", "Z"]);
  expect(keyNames("Alt+ArrowUp", false)).toEqual(["Alt", "↑"]);
  expect(ariaKeys("Mod+D", false)).toBe("Control+D");
});
