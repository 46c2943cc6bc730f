import { shortNumber } from "../../agent/agent-words";
import { words } from "../../glossary";
import styles from "./Composer.module.css";

/** How much of the model's window the conversation fills; nothing when the window is not known. */
export function ContextMeter({ used, window }: { used: number | null; window: number | null | undefined }) {
  if (!window) return null;
  const share = Math.min(1, (used ?? 0) / window);
  const label = words.agent.context(shortNumber(used ?? 0), shortNumber(window));
  return (
    <span className={styles.meter} title={label}>
      <span
        className={styles.track}
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        data-full={share > 0.85}
      >
        <span style={{ inlineSize: `${Math.max(share * 100, used ? 2 : 0)}%` }} />
      </span>
      <span aria-hidden="true">
        {shortNumber(used ?? 0)} / {shortNumber(window)}
      </span>
    </span>
  );
}
