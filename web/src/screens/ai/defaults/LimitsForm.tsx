import { invalid } from "../../../api/problem";
import { aiApi, notices } from "../../../app-state";
import type { Budget, Caps } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { Field } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import { formatCost, formatNumber } from "../../../words/usage-words";
import settings from "../../settings/Settings.module.css";
import styles from "./Models.module.css";

interface Limit {
  name: keyof Caps;
  label: string;
  hint: string;
  /** Whether it can be off. */
  optional: boolean;
}

const OFF = "Leave empty for no limit.";
const PER_TURN: readonly Limit[] = [
  { name: "turnUsd", label: "US dollars", hint: `Where prices are known. ${OFF}`, optional: true },
  { name: "turnTokens", label: "Tokens", hint: "1,000 to 1,000,000,000.", optional: false },
  { name: "turnRounds", label: "Requests to the model", hint: "1 to 500.", optional: false },
  { name: "turnMinutes", label: "Minutes", hint: "1 to 1,440.", optional: false },
];
const PER_MONTH: readonly Limit[] = [
  { name: "userMonthUsd", label: "US dollars per month", hint: `Where prices are known. ${OFF}`, optional: true },
  { name: "userMonthTokens", label: "Tokens a month", hint: OFF, optional: true },
];

/** What one request to the assistant, and a person in a month, may use. */
export function LimitsForm({ budget, onSaved }: { budget: Budget; onSaved(budget: Budget): void }) {
  const form = useSubmit(async (values) => {
    const caps: Partial<Record<keyof Caps, number | null>> = {};
    for (const { name } of [...PER_TURN, ...PER_MONTH]) {
      const text = values.text(name).replace(/[\s,]/g, "");
      const value = text === "" ? null : Number(text);
      if (Number.isNaN(value)) throw invalid(name, "Enter a number.");
      caps[name] = value;
    }
    onSaved(await aiApi.setBudget(caps));
    notices.show("Limits saved.");
  });
  const field = ({ name, label, hint, optional }: Limit) => (
    <Field
      key={name}
      label={label}
      name={name}
      inputMode="decimal"
      required={!optional}
      autoComplete="off"
      defaultValue={shown(budget.caps[name])}
      placeholder={optional ? words.ai.noCap : undefined}
      hint={hint}
      error={form.errors[name]}
    />
  );
  return (
    <Card>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <div className={styles.limits}>
          <fieldset>
            <legend>For each request</legend>
            {PER_TURN.map(field)}
          </fieldset>
          <fieldset>
            <legend>For each person</legend>
            {PER_MONTH.map(field)}
            <p className={settings.about}>You used {formatCost(budget.month.costUsd)} this month.</p>
          </fieldset>
        </div>
        <ProblemNote problem={form.problem} />
        <div>
          <Button type="submit" busy={form.pending}>
            Save limits
          </Button>
        </div>
      </form>
    </Card>
  );
}

function shown(cap: number | null | undefined): string {
  return typeof cap === "number" ? formatNumber(cap) : "";
}
