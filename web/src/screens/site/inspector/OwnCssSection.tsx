import { words } from "../../../glossary";
import { ownCssProblems, ownCssRefusal } from "../../../site/own-css";
import { put, type SectionProps } from "./element";
import styles from "./Inspector.module.css";
import { Conflict, Row } from "./Row";
import { useDraft } from "./use-draft";

const texts = words.inspector;

/** The element's own CSS as text. It is kept as it was written; what browsers leave out of it is named. */
export function OwnCssSection({ selected }: SectionProps) {
  const value = selected.node.style ?? "";
  const draft = useDraft({
    value,
    multiline: true,
    guarded: true,
    check: ownCssRefusal,
    save: (text) => put(selected, "style", text.trim() === "" ? null : text, texts.summaries.style(texts.own)),
  });
  const refusal = ownCssRefusal(draft.text);
  const problems = ownCssProblems(draft.text, (property, given) => CSS.supports(property, given));
  return (
    <>
      <Row
        label={texts.declarations}
        over
        hint={
          refusal === undefined ? (
            <Problems problems={problems} isEmpty={draft.text.trim() === ""} />
          ) : (
            <p className={styles.error} role="status">
              {words.design.notSaved(refusal)}
            </p>
          )
        }
      >
        {(ids) => (
          <textarea
            {...ids}
            {...draft.field}
            className={styles.code}
            rows={4}
            spellCheck={false}
            autoCapitalize="none"
            aria-invalid={refusal !== undefined || undefined}
            placeholder="letter-spacing: 0.02em;"
            value={draft.text}
            onChange={(event) => draft.change(event.target.value)}
          />
        )}
      </Row>
      <Conflict draft={draft} theirs={value} />
    </>
  );
}

function Problems({ problems, isEmpty }: { problems: readonly string[]; isEmpty: boolean }) {
  return (
    <div role="status">
      {problems.map((problem) => (
        <p key={problem} className={styles.warning}>
          {problem}
        </p>
      ))}
      {problems.length === 0 && <p>{isEmpty ? texts.css.hint : texts.css.fine}</p>}
    </div>
  );
}
