import { words } from "../../../glossary";
import { Segments } from "../../../parts/segments/Segments";
import { type StyleScope, shownState, widestOf } from "../../../site/style-scope";
import styles from "./Inspector.module.css";

const texts = words.design.scope;

const STATES = [
  { value: "normal", label: texts.normal },
  { value: "hover", label: texts.hover },
] as const;

/** Which screens and which state the styles below are for. */
export function ScopeBar({ scope }: { scope: StyleScope }) {
  const { breakpoint, state } = scope;
  const widest = breakpoint && widestOf(breakpoint);
  const name =
    breakpoint === undefined
      ? texts.all
      : widest === undefined
        ? texts.some(breakpoint.label)
        : texts.upTo(breakpoint.label, widest);
  return (
    <div className={styles.scope}>
      <p
        className={styles.badge}
        data-narrow={breakpoint !== undefined}
        title={breakpoint === undefined ? texts.allHint : texts.someHint(breakpoint.label)}
      >
        <span className="visually-hidden">{texts.title}</span> {name}
      </p>
      <Segments
        title={texts.states}
        options={STATES}
        chosen={state === "hover" ? "hover" : "normal"}
        onChoose={(chosen) => shownState.set(chosen === "hover" ? "hover" : undefined)}
      />
    </div>
  );
}
