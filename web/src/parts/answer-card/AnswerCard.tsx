import type { CardField, ResultCard } from "../../generated/api";
import { words } from "../../glossary";
import { visible } from "../../words/visible-text";
import { Badge } from "../badge/Badge";
import { ButtonLink } from "../button/Button";
import styles from "./AnswerCard.module.css";

/** The structured answer of a connected tool: a card or a receipt, and what can be done next. */
export function AnswerCard({ card }: { card: ResultCard }) {
  const { kind, title, fields, items, leftOut, actions } = card;
  return (
    <section className={styles.card} aria-label={`${words.cards[kind]}: ${visible(title)}`}>
      <header className={styles.head}>
        <h3>{visible(title)}</h3>
        <Badge tone={kind === "receipt" ? "accent" : "plain"}>{words.cards[kind]}</Badge>
      </header>
      <CardFields fields={fields} />
      {items.length > 0 && (
        <ol className={styles.items}>
          {items.map((item, index) => (
            <li key={index}>
              <CardFields fields={item.fields} />
            </li>
          ))}
        </ol>
      )}
      {leftOut > 0 && <p className={styles.faint}>{words.approvals.notShown(leftOut)}</p>}
      {actions.length > 0 && (
        <nav className={styles.actions} aria-label={words.cards.next}>
          {actions.map(({ tool, title: name, arguments: args }) => (
            <ButtonLink key={tool} href={filledToolPath(tool, args)}>
              {visible(name)}
            </ButtonLink>
          ))}
        </nav>
      )}
    </section>
  );
}

/** Values under their labels. */
export function CardFields({ fields }: { fields: readonly CardField[] }) {
  if (fields.length === 0) return null;
  return (
    <dl className={styles.fields}>
      {fields.map(({ label, value }, index) => (
        <div key={index}>
          <dt>{visible(label)}</dt>
          <dd>
            <bdi>{visible(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Where a tool can be run with these arguments filled in. */
function filledToolPath(tool: string, args: unknown): string {
  return `/tools/tool/${encodeURIComponent(tool)}?with=${encodeURIComponent(JSON.stringify(args))}`;
}
