// Where the steps of a workflow stand in its graph: from left to right, by their dependencies.
import dagre from "@dagrejs/dagre";

export interface WorkflowStep {
  id: string;
  tool: string;
  dependencies: readonly string[];
  state: string;
  input?: unknown;
  output?: unknown;
  error?: string;
}

export interface PlacedStep {
  step: WorkflowStep;
  x: number;
  y: number;
}

export const STEP_WIDTH = 200;
export const STEP_HEIGHT = 64;

export function placeSteps(steps: readonly WorkflowStep[]): PlacedStep[] {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 64 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of steps) graph.setNode(id, { width: STEP_WIDTH, height: STEP_HEIGHT });
  for (const { id, dependencies } of steps) for (const other of dependencies) graph.setEdge(other, id);
  dagre.layout(graph);
  return steps.map((step) => {
    // The layout answers centres, and nodes are placed by their corner.
    const { x, y } = graph.node(step.id);
    return { step, x: x - STEP_WIDTH / 2, y: y - STEP_HEIGHT / 2 };
  });
}

/** The steps in the answer of the server, which describes them as any JSON. */
export function stepsOf(value: unknown): WorkflowStep[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isStep);
}

function isStep(value: unknown): value is WorkflowStep {
  if (typeof value !== "object" || value === null) return false;
  return "id" in value && "tool" in value && "state" in value && "dependencies" in value;
}
