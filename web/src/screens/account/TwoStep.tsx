import { useState } from "react";
import { api, notices } from "../../app-state";
import type { NewAuthenticator, SecondFactorInfo } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { Confirm } from "../../parts/dialog/Confirm";
import { Section } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { dayOf } from "../../words/time-words";
import styles from "./Account.module.css";
import { RecoveryCodes } from "./RecoveryCodes";
import { TwoStepSetup } from "./TwoStepSetup";

interface TwoStepProps {
  factor: SecondFactorInfo | null | undefined;
  onChanged(): void;
}

export function TwoStep({ factor, onChanged }: TwoStepProps) {
  const [begun, setBegun] = useState<NewAuthenticator>();
  const [codes, setCodes] = useState<readonly string[]>();
  const beginning = useAction(async () => setBegun(await api.startSecondFactor()));
  function showCodes(made: readonly string[]) {
    setBegun(undefined);
    setCodes(made);
    onChanged();
  }
  return (
    <Section title={words.account.twoStep.title} intro={words.account.twoStep.intro}>
      <Card>
        {factor ? (
          <Factor factor={factor} onCodes={showCodes} onChanged={onChanged} />
        ) : (
          <div className={styles.statement}>
            <p>{words.account.twoStep.off}</p>
            <Button busy={beginning.pending} onClick={() => beginning.run()}>
              {words.account.twoStep.setUp}
              <span className="visually-hidden"> {words.account.twoStep.title}</span>
            </Button>
          </div>
        )}
        <ProblemNote problem={beginning.problem} />
      </Card>
      {begun && <TwoStepSetup begun={begun} onCodes={showCodes} onClose={() => setBegun(undefined)} />}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}

interface FactorProps {
  factor: SecondFactorInfo;
  onCodes(codes: readonly string[]): void;
  onChanged(): void;
}

function Factor({ factor, onCodes, onChanged }: FactorProps) {
  const [asking, setAsking] = useState(false);
  const renewing = useAction(async () => onCodes((await api.replaceRecoveryCodes()).codes));
  const { title, on, codesLeft, newCodes, turnOff } = words.account.twoStep;
  return (
    <>
      <div className={styles.statement}>
        <div>
          <p className={styles.name}>
            {on} <Badge tone="accent">{words.states.on}</Badge>
          </p>
          <p className={styles.about}>
            Since {dayOf(factor.since)} · {codesLeft(factor.recoveryCodesLeft)}
          </p>
        </div>
        <div className={styles.buttons}>
          <Button busy={renewing.pending} onClick={() => renewing.run()}>
            {newCodes}
          </Button>
          <Button onClick={() => setAsking(true)}>
            {turnOff}
            <span className="visually-hidden"> {title}</span>
          </Button>
        </div>
      </div>
      <ProblemNote problem={renewing.problem} />
      {asking && (
        <Confirm
          title="Turn off two-step sign-in?"
          verb={turnOff}
          action={async () => {
            await api.turnOffSecondFactor();
            notices.show("Two-step sign-in is off.");
            onChanged();
          }}
          onClose={() => setAsking(false)}
        >
          Your password alone will be enough to sign in. Your recovery codes stop working.
        </Confirm>
      )}
    </>
  );
}
