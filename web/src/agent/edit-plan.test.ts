import { expect, test } from "vitest";
import { choose, isOutdated, planOf } from "./edit-plan";

test("each step has its sentence, its reasons and what it needs", () => {
  const handedIn = {
    plan: {
      ops: [
        { op: "create_page", title: "News", as: "news" },
        { op: "add_section", page: "@news", html: "<p>@home</p>" },
      ],
      change_log: ["Adds News.", "Adds a section."],
    },
    outcomes: [
      { index: 0, diff: [{ sentence: "Adds News." }, { sentence: "Adds the address /news." }] },
      { index: 1, diff: [] },
    ],
    cautions: [{ reason: "touches_pages", pages: [] }],
  };
  expect(planOf(handedIn)).toEqual({
    steps: [
      { index: 0, sentence: "Adds News.", reasons: ["Adds the address /news."], dependsOn: [] },
      { index: 1, sentence: "Adds a section.", reasons: [], dependsOn: [0] },
    ],
    cautions: ["touches_pages"],
  });
});

test("without a sentence for each step the differences speak, and a plan of another shape is none", () => {
  const handedIn = {
    plan: { ops: [{ op: "remove_node", node: "0123456789ab" }, { op: "move_node" }], change_log: ["All of it."] },
    outcomes: [{ index: 0, diff: [{ sentence: "Removes the hero." }] }],
  };
  expect(planOf(handedIn).steps.map(({ sentence }) => sentence)).toEqual(["Removes the hero.", "move node"]);
  expect(planOf(null).steps).toEqual([]);
});

test("a step that is left out takes those with it that need it, and comes back with what it needs", () => {
  const step = (index: number, ...dependsOn: number[]) => ({ index, sentence: "", reasons: [], dependsOn });
  const steps = [step(0), step(1, 0), step(2, 1), step(3)];
  const left = choose(steps, new Set([0, 1, 2, 3]), 0, false);
  expect([...left]).toEqual([3]);
  expect([...choose(steps, left, 2, true)].sort()).toEqual([0, 1, 2, 3]);
});

test("a site that has changed is told apart from a plan that was accepted before and a step that lacks another", () => {
  expect(isOutdated({ code: "conflict" })).toBe(true);
  expect(isOutdated({ code: "conflict", details: { accepted: [1] } })).toBe(false);
  expect(isOutdated({ code: "invalid_input", details: { missing: [] } })).toBe(false);
  expect(isOutdated(undefined)).toBe(false);
});
