import { expect, test } from "vitest";
import { newRevertId, redoneBy, undoneBy } from "./revert-id";
import { createUndoStack, type UndoMemory, type UndoSteps } from "./undo-stack";

function kept(): UndoMemory & { steps?: UndoSteps } {
  const memory: UndoMemory & { steps?: UndoSteps } = {
    read: () => memory.steps,
    write(steps) {
      memory.steps = steps;
    },
  };
  return memory;
}

test("an undo names what it undid, and a redo the undo", () => {
  const undo = newRevertId({ turn: "t1" });
  expect([undoneBy(undo), redoneBy(undo)]).toEqual(["t1", undefined]);
  const redo = newRevertId({ change: undo });
  expect([undoneBy(redo), redoneBy(redo)]).toEqual([undefined, undo]);
  expect([undoneBy(newRevertId({ after: 7 })), undoneBy("plain")]).toEqual([undefined, undefined]);
});

test("changes are undone one by one and requests as a whole, the last first", () => {
  const stack = createUndoStack(kept());
  stack.record({ id: "a" });
  stack.record({ id: "b", turn: "t1" });
  stack.record({ id: "c", turn: "t1" });
  expect(stack.nextUndo()).toEqual({ turn: "t1" });
  stack.record({ id: "undo~t1~k" });
  expect([stack.nextUndo(), stack.nextRedo()?.undid]).toEqual([{ change: "a" }, { turn: "t1" }]);
});

test("what is undone can be redone and undone again, also when the log tells it a second time", () => {
  const stack = createUndoStack(kept());
  stack.record({ id: "a" });
  for (const id of ["undo~a~k", "undo~a~k", "redo~undo~a~k~l", "redo~undo~a~k~l"]) stack.record({ id });
  expect([stack.nextUndo(), stack.nextRedo()]).toEqual([{ change: "a" }, undefined]);
});

test("something new ends what could be redone", () => {
  const stack = createUndoStack(kept());
  for (const id of ["a", "undo~a~k", "b"]) stack.record({ id });
  expect([stack.nextUndo(), stack.nextRedo()]).toEqual([{ change: "b" }, undefined]);
});

test("a reload goes on where the tab was", () => {
  const memory = kept();
  const before = createUndoStack(memory);
  for (const id of ["a", "b", "undo~b~k"]) before.record({ id });
  const after = createUndoStack(memory);
  expect([after.nextUndo(), after.nextRedo()?.undid]).toEqual([{ change: "a" }, { change: "b" }]);
});

test("a step that cannot be taken back makes way for the one before", () => {
  const stack = createUndoStack(kept());
  for (const id of ["a", "b"]) stack.record({ id });
  stack.drop({ change: "b" });
  expect(stack.nextUndo()).toEqual({ change: "a" });
});
