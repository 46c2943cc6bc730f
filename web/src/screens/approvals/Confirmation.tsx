import { words } from "../../glossary";
import { CardFields } from "../../parts/answer-card/AnswerCard";
import { Badge } from "../../parts/badge/Badge";
import { type ConfirmationLeg, type ConfirmationView, confirmationOf } from "../../words/confirmation";
import { visible } from "../../words/visible-text";
import styles from "./Confirmation.module.css";

/** What a structured confirmation asks about: the values that would be sent, or the legs of a mission. */
export function Confirmation({ preview }: { preview: unknown }) {
  const view = confirmationOf(preview);
  if (view === undefined) return null;
  return (
    <div className={styles.card}>
      <Badge>{words.cards.kinds[view.kind] ?? visible(view.kind)}</Badge>
      <CardFields fields={view.fields} />
      {view.legs.length > 0 && (
        <ol className={styles.legs}>
          {view.legs.map((leg) => (
            <Leg key={leg.id} leg={leg} />
          ))}
        </ol>
      )}
      <Facts view={view} />
    </div>
  );
}

function Leg({ leg }: { leg: ConfirmationLeg }) {
  return (
    <li>
      <h4>
        {visible(leg.title)} {leg.asksAgain && <Badge tone="caution">{words.cards.asksAgain}</Badge>}
      </h4>
      <CardFields fields={leg.fields} />
      <p className={styles.faint}>
        {leg.takenBackBy === undefined ? words.cards.noWayBack : words.cards.takenBackBy(visible(leg.takenBackBy))}
      </p>
    </li>
  );
}

function Facts({ view }: { view: ConfirmationView }) {
  const { totals, host, cancels, personalData } = view;
  const lines = [
    totals.length > 0 && words.cards.total(totals.map(visible).join(", ")),
    host !== undefined && words.cards.host(visible(host)),
    cancels !== undefined && words.cards.takenBackBy(visible(cancels)),
    personalData.length > 0 && words.cards.personalData(personalData.map(visible).join(", ")),
  ].filter((line) => line !== false);
  if (lines.length === 0) return null;
  return (
    <ul className={styles.facts}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
