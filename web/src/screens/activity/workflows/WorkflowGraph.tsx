import { Background, Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useMemo } from "react";
import { words } from "../../../glossary";
import { placeSteps, STEP_HEIGHT, STEP_WIDTH, type WorkflowStep } from "./layout";
import styles from "./Workflows.module.css";

const { workflows: text } = words.activityPage;
type StepNode = Node<{ step: WorkflowStep; isChosen: boolean; onChoose(id: string): void }, "step">;
const NODE_TYPES = { step: StepBox };
/** At the first steps and in full size: a long workflow that is fitted into the frame, or any on a phone, cannot be read. */
const START = { x: 24, y: 24, zoom: 1 };

interface WorkflowGraphProps {
  steps: readonly WorkflowStep[];
  chosen: string | undefined;
  onChoose(id: string): void;
}

/** A workflow drawn as a graph, with the state of each step. */
export function WorkflowGraph({ steps, chosen, onChoose }: WorkflowGraphProps) {
  const nodes = useMemo<StepNode[]>(
    () =>
      placeSteps(steps).map(({ step, x, y }) => ({
        id: step.id,
        type: "step",
        position: { x, y },
        data: { step, isChosen: step.id === chosen, onChoose },
        width: STEP_WIDTH,
        height: STEP_HEIGHT,
      })),
    [steps, chosen, onChoose],
  );
  const edges = useMemo<Edge[]>(
    () =>
      steps.flatMap(({ id, dependencies, state }) =>
        dependencies.map((source) => ({ id: `${source}-${id}`, source, target: id, animated: state === "running" })),
      ),
    [steps],
  );
  return (
    <div className={styles.graph}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        nodesConnectable={false}
        defaultViewport={START}
        minZoom={0.2}
        aria-label={text.graph}
      >
        <Background />
        <Controls showInteractive={false} orientation="horizontal" />
      </ReactFlow>
    </div>
  );
}

function StepBox({ data: { step, isChosen, onChoose } }: NodeProps<StepNode>) {
  return (
    <>
      <Handle type="target" position={Position.Left} />
      <button
        type="button"
        className={`${styles.step} nopan`}
        data-state={step.state}
        aria-pressed={isChosen}
        onClick={() => onChoose(step.id)}
      >
        <strong>{step.id}</strong>
        <span>
          {step.tool} · {text.states[step.state] ?? step.state}
        </span>
      </button>
      <Handle type="source" position={Position.Right} />
    </>
  );
}
