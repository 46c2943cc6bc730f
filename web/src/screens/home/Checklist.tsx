import { Link } from "wouter";
import { words } from "../../glossary";
import { useDismissed } from "../../hooks/use-dismissed";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Icon } from "../../parts/icon/Icon";
import { Section } from "../../parts/page/Page";
import { type Step, stepsOf } from "./checklist";
import styles from "./Home.module.css";
import type { HomeFacts } from "./home-facts";

/** The first steps, until all are taken or somebody puts the list away. */
export function Checklist({ facts }: { facts: HomeFacts }) {
  const { site, capabilities } = useSession();
  const { isDismissed, dismiss } = useDismissed("checklist");
  const steps = stepsOf(facts, site?.name ?? "", capabilities);
  const done = steps.filter((step) => step.done).length;
  if (isDismissed || done === steps.length) return null;
  return (
    <Section
      title={words.home.next}
      intro={words.home.progress(done, steps.length)}
      action={
        <Button look="quiet" onClick={dismiss}>
          {words.home.dismiss}
        </Button>
      }
    >
      <Rows label={words.home.next}>
        {steps.map((step) => (
          <StepRow key={step.name} step={step} />
        ))}
      </Rows>
    </Section>
  );
}

function StepRow({ step: { name, done, path } }: { step: Step }) {
  const { title, about } = words.home.steps[name];
  return (
    <li className={styles.step} data-done={done}>
      <span className={styles.sign}>{done && <Icon name="check" />}</span>
      <div>
        <Link href={path}>{title}</Link>
        {done && <span className="visually-hidden"> ({words.home.done})</span>}
        {!done && <p>{about}</p>}
      </div>
      <Icon name="arrow" />
    </li>
  );
}
