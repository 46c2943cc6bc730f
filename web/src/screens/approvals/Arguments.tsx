import { words } from "../../glossary";
import { type Argument, argumentList, beginningOf, isLong } from "../../words/argument-list";
import styles from "./Approvals.module.css";

const SHOWN_AT_ONCE = 12;

/** What goes into a call. It is shown as text, whatever it is. */
export function Arguments({ value }: { value: unknown }) {
  const { rows, leftOut } = argumentList(value);
  if (rows.length === 0) return null;
  const folded = rows.slice(SHOWN_AT_ONCE);
  return (
    <div className={styles.arguments}>
      <ArgumentRows rows={rows.slice(0, SHOWN_AT_ONCE)} />
      {folded.length > 0 && (
        <details>
          <summary>{words.approvals.moreValues(folded.length + leftOut)}</summary>
          <ArgumentRows rows={folded} />
          {leftOut > 0 && <p>{words.approvals.notShown(leftOut)}</p>}
        </details>
      )}
    </div>
  );
}

function ArgumentRows({ rows }: { rows: readonly Argument[] }) {
  return (
    <dl className={styles.facts}>
      {rows.map(({ name, text }) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            {isLong(text) ? (
              <details>
                <summary>
                  <bdi>{beginningOf(text)}</bdi>
                </summary>
                <pre>{text}</pre>
              </details>
            ) : (
              <bdi className={styles.value}>{text}</bdi>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
