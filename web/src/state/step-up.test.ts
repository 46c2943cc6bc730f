import { expect, test } from "vitest";
import { createStepUpStore } from "./step-up";

test("requests that wait get one answer, and a later one is asked anew", async () => {
  const stepUp = createStepUpStore();
  const first = stepUp.ask();
  const second = stepUp.ask();
  expect(stepUp.get()).toBe(true);
  stepUp.settle(true);
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(stepUp.get()).toBe(false);
  const third = stepUp.ask();
  stepUp.settle(false);
  expect(await third).toBe(false);
});
