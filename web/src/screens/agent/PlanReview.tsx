import { useState } from "react";
import { may } from "../../access/permissions";
import { choose, isOutdated, type PlannedStep, planOf } from "../../agent/edit-plan";
import type { SubmittedPlan } from "../../agent/events";
import { ApiError } from "../../api/problem";
import { agent } from "../../app-state";
import type { AppliedPlan } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { Checkbox } from "../../parts/choice/Choice";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import styles from "./Plan.module.css";
import { PlanPreview } from "./PlanPreview";

interface PlanReviewProps {
  turnId: string;
  handedIn: SubmittedPlan;
  /** How it was accepted, once it was. */
  applied: AppliedPlan | undefined;
}

/** A plan: each step with its reasons, a look at the page it would make, and the decision about it. */
export function PlanReview({ turnId, handedIn, applied }: PlanReviewProps) {
  const plan = planOf(handedIn.plan);
  const { capabilities } = useSession();
  const all = plan.steps.map(({ index }) => index);
  const [wanted, setChosen] = useState<ReadonlySet<number>>(() => new Set(all));
  const chosen = applied === undefined ? wanted : new Set(applied.accept ?? all);
  const [isMoved, setMoved] = useState(false);
  const accept = [...chosen].sort((one, other) => one - other);
  const applying = useAction(async () => {
    const answer = await agent.chat.accept(turnId, accept);
    if (answer.ok) return agent.noteChange();
    if (isOutdated(answer.error)) return setMoved(true);
    throw refused(answer.error?.code, answer.error?.message);
  });
  if (plan.steps.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the steps in it are a fieldset of their own.
    <div role="group" className={styles.plan} aria-label={words.agent.planTitle}>
      <h3>{words.agent.planTitle}</h3>
      <fieldset disabled={applied !== undefined}>
        <legend className="visually-hidden">{words.agent.planChoose}</legend>
        <ol>
          {plan.steps.map((step) => (
            <StepChoice
              key={step.index}
              step={step}
              isChosen={chosen.has(step.index)}
              onChange={(isOn) => setChosen(choose(plan.steps, chosen, step.index, isOn))}
            />
          ))}
        </ol>
      </fieldset>
      {plan.cautions.map((caution) => (
        <Note key={caution} tone="caution">
          {words.agent.planCautions[caution] ?? caution}
        </Note>
      ))}
      {isMoved && <Note tone="caution">{words.agent.planMoved}</Note>}
      <ProblemNote problem={applying.problem} />
      {applied !== undefined ? (
        <Note tone="calm">{words.agent.planApplied(chosen.size)}</Note>
      ) : (
        <footer>
          {may(capabilities, { needs: "ai.tools.write" }) && (
            <Button
              look="primary"
              busy={applying.pending}
              disabled={accept.length === 0 || isMoved}
              onClick={() => applying.run()}
            >
              {words.agent.planApply(accept.length, plan.steps.length)}
            </Button>
          )}
          <PlanPreview turnId={turnId} accept={accept} />
        </footer>
      )}
    </div>
  );
}

interface StepChoiceProps {
  step: PlannedStep;
  isChosen: boolean;
  onChange(isOn: boolean): void;
}

function StepChoice({ step, isChosen, onChange }: StepChoiceProps) {
  return (
    <li>
      <Checkbox
        checked={isChosen}
        onChange={(event) => onChange(event.target.checked)}
        label={
          <>
            {step.sentence}
            {step.reasons.map((reason) => (
              <small key={reason}>{reason}</small>
            ))}
          </>
        }
      />
    </li>
  );
}

function refused(code = "unknown", detail: string = words.errors.unexpected): ApiError {
  return new ApiError({ status: 422, code, detail, errors: {} });
}
