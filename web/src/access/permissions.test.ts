import { expect, test } from "vitest";
import { allowed, grouped } from "./permissions";

const entries = [
  { name: "home" },
  { name: "people", needs: "users.manage" },
  { name: "activity", needs: "settings.manage" },
];

test.each([
  [[], ["home"]],
  [["users.manage"], ["home", "people"]],
  [
    ["settings.manage", "users.manage"],
    ["home", "people", "activity"],
  ],
  [["users.manage.more"], ["home"]],
])("with %j one sees %j", (capabilities, expected) => {
  expect(allowed(capabilities, entries).map((entry) => entry.name)).toEqual(expected);
});

test("permissions stand under the headings people look for, in the order given", () => {
  expect(grouped(["site.read", "users.manage", "site.code", "settings.manage"])).toEqual([
    {
      title: "Site",
      permissions: [
        { name: "site.read", label: "See pages, styles and drafts" },
        { name: "site.code", label: "Write scripts and code for the page head" },
      ],
    },
    {
      title: "Administration",
      permissions: [
        { name: "users.manage", label: "Invite people and choose their roles" },
        { name: "settings.manage", label: "Change settings and read the activity log" },
      ],
    },
  ]);
});

test("a permission this build does not know keeps the server's description", () => {
  expect(grouped(["garden.water"], { "garden.water": "Water the garden" })).toEqual([
    { title: "Other", permissions: [{ name: "garden.water", label: "Water the garden" }] },
  ]);
});
