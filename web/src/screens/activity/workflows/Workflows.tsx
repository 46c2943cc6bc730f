import { lazy, Suspense, useCallback, useState } from "react";
import { breadcrumbsApi } from "../../../app-state";
import type { WorkflowView } from "../../../generated/api";
import { words } from "../../../glossary";
import { useReload } from "../../../hooks/use-reload";
import { useResource } from "../../../hooks/use-resource";
import { Button } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded, LoadingRows } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { When } from "../../../parts/When";
import { plainSentence } from "../../../words/refusal-words";
import { Json } from "../records/RecordRow";
import { stepsOf, type WorkflowStep } from "./layout";
import styles from "./Workflows.module.css";

const { workflows: text } = words.activityPage;
const PAGE_SIZE = 20;
/** The most that the server lists. */
const LISTED_MAX = 100;
// The graph is fetched only where one is shown; it is larger than the rest of the screen.
const WorkflowGraph = lazy(() => import("./WorkflowGraph").then(({ WorkflowGraph }) => ({ default: WorkflowGraph })));

/** The latest workflows, each as a graph that follows what happens. */
export function Workflows() {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const workflows = useResource(useCallback(() => breadcrumbsApi.workflows({ limit }), [limit]));
  useReload(workflows.reload);
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
                <Workflow key={workflow.id} workflow={workflow} isNewest={index === 0} />
              ))}
              {shown.length === limit && limit < LISTED_MAX && (
                <Button onClick={() => setLimit(LISTED_MAX)}>{words.activityPage.older}</Button>
              )}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The newest begins open, and stays as it is when a newer one arrives. */
function Workflow({ workflow, isNewest }: { workflow: WorkflowView; isNewest: boolean }) {
  const [open, setOpen] = useState(isNewest);
  const [chosen, setChosen] = useState<string>();
  const steps = stepsOf(workflow.steps);
  return (
    <Card>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {text.summary(steps.length)} · <When at={workflow.at} />
        </summary>
        {open && steps.length > 0 && (
          <Suspense fallback={<LoadingRows count={1} />}>
            <WorkflowGraph steps={steps} chosen={chosen} onChoose={setChosen} />
          </Suspense>
        )}
        {workflow.unreadable ? <p className={styles.hint}>{text.unreadable}</p> : null}
        {open && chosen && <ChosenStep workflow={workflow} id={chosen} />}
        {steps.length > 0 && !chosen && <p className={styles.hint}>{text.choose}</p>}
      </details>
    </Card>
  );
}

/** A list leaves out what the steps were given and answered, so it is fetched for the one that is looked at. */
function ChosenStep({ workflow, id }: { workflow: WorkflowView; id: string }) {
  const progress = stepsOf(workflow.steps)
    .map(({ state }) => state)
    .join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a step goes on, there is more to see.
  const load = useCallback(() => breadcrumbsApi.workflow(workflow.id), [workflow.id, progress]);
  return (
    <Loaded resource={useResource(load)}>
      {(whole) => {
        const step = stepsOf(whole.steps).find((step) => step.id === id);
        return step && <StepDetails step={step} />;
      }}
    </Loaded>
  );
}

function StepDetails({ step }: { step: WorkflowStep }) {
  return (
    <section className={styles.details} aria-label={step.id}>
      <h2>
        {step.id} · {step.tool}
      </h2>
      {step.error && <p className={styles.error}>{plainSentence(step.error)}</p>}
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
