// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { createThemeStore } from "./theme";

function memory(initial: Record<string, string> = {}) {
  const values = new Map(Object.entries(initial));
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

test("a choice is applied and kept; the system's theme is the absence of one", () => {
  const root = document.createElement("html");
  const storage = memory();
  const theme = createThemeStore(storage, root);
  theme.choose("dark");
  expect([theme.get(), root.dataset.theme, [...storage.values]]).toEqual([
    "dark",
    "dark",
    [["sitewright.theme", "dark"]],
  ]);
  expect(createThemeStore(storage, root).get()).toBe("dark");
  theme.choose("system");
  expect([theme.get(), root.dataset.theme, [...storage.values]]).toEqual(["system", undefined, []]);
});

test("an unknown stored value means the system's theme", () => {
  expect(createThemeStore(memory({ "sitewright.theme": "sepia" }), document.createElement("html")).get()).toBe(
    "system",
  );
});

test("storage that refuses does not stop the choice", () => {
  const refuse = () => {
    throw new Error("denied");
  };
  const root = document.createElement("html");
  const theme = createThemeStore({ getItem: refuse, setItem: refuse, removeItem: refuse }, root);
  theme.choose("light");
  expect([theme.get(), root.dataset.theme]).toEqual(["light", "light"]);
});
