import { lazy, Suspense, useEffect, useState } from "react";
import { breadcrumbsApi } from "../../../app-state";
import type { WorkflowView } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Card } from "../../../parts/card/Card";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded, LoadingRows } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { When } from "../../../parts/When";
import { Json } from "../records/RecordRow";
import { stepsOf, type WorkflowStep } from "./layout";
import styles from "./Workflows.module.css";

const { workflows: text } = words.activityPage;
/** How often a workflow that runs is looked at. */
const LOOK_EVERY_MS = 1000;
// The graph is fetched only where one is shown; it is larger than the rest of the screen.
const WorkflowGraph = lazy(() => import("./WorkflowGraph").then(({ WorkflowGraph }) => ({ default: WorkflowGraph })));
const load = () => breadcrumbsApi.workflows();

/** The latest workflows, each as a graph that follows what happens. */
export function Workflows() {
  const workflows = useResource(load);
  const { state, reload } = workflows;
  const isRunning = state.status === "ready" && state.value.workflows.some(({ endedAt }) => endedAt == null);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(reload, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning, reload]);
  return (
    <Page title={words.activityPage.tabs.workflows} intro={text.intro}>
      <Loaded resource={workflows}>
        {({ workflows: shown }) =>
          shown.length === 0 ? (
            <Empty icon="clock" title={text.none}>
              {text.noneAbout}
            </Empty>
          ) : (
            <div className={styles.list}>
              {shown.map((workflow, index) => (
                <Workflow key={workflow.id} workflow={workflow} isOpen={index === 0} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function Workflow({ workflow, isOpen }: { workflow: WorkflowView; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const [chosen, setChosen] = useState<string>();
  const steps = stepsOf(workflow.steps);
  const step = steps.find(({ id }) => id === chosen);
  return (
    <Card>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {text.summary(steps.length)} · <When at={workflow.at} />
        </summary>
        {open && (
          <Suspense fallback={<LoadingRows count={1} />}>
            <WorkflowGraph steps={steps} onChoose={setChosen} />
          </Suspense>
        )}
        {step ? <StepDetails step={step} /> : <p className={styles.hint}>{text.choose}</p>}
      </details>
    </Card>
  );
}

function StepDetails({ step }: { step: WorkflowStep }) {
  return (
    <section className={styles.details} aria-label={step.id}>
      <h2>
        {step.id} · {step.tool}
      </h2>
      {step.error && <p className={styles.error}>{step.error}</p>}
      {step.input !== undefined && (
        <>
          <h3>{text.input}</h3>
          <Json value={step.input} />
        </>
      )}
      {step.output !== undefined && (
        <>
          <h3>{text.output}</h3>
          <Json value={step.output} />
        </>
      )}
    </section>
  );
}
