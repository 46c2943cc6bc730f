import type { LockReason } from "../../agent/providers";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { Icon } from "../../parts/icon/Icon";
import styles from "./Composer.module.css";

interface SendButtonProps {
  lock: LockReason;
  isEmpty: boolean;
  isBusy: boolean;
}

/** Sends what is written; while a turn is under way and nothing is written, it stops the turn. */
export function SendButton({ lock, isEmpty, isBusy }: SendButtonProps) {
  if (isBusy && isEmpty) {
    return (
      <button
        type="button"
        className={styles.send}
        data-stops
        aria-label={words.agent.stop}
        title={words.agent.stopTip}
        onClick={() => void agent.chat.stop()}
      >
        <Icon name="stop" />
      </button>
    );
  }
  const isOff = lock !== null || isEmpty;
  return (
    <>
      {isBusy && (
        <button
          type="button"
          className={styles.quiet}
          aria-label={words.agent.stop}
          title={words.agent.stopTip}
          onClick={() => void agent.chat.stop()}
        >
          <Icon name="stop" />
        </button>
      )}
      {/* Reachable although it does nothing yet, so that its tooltip can say why. */}
      <button
        type="submit"
        className={styles.send}
        aria-disabled={isOff || undefined}
        aria-label={words.agent.send}
        title={tipOf(lock, isEmpty)}
        onClick={(event) => isOff && event.preventDefault()}
      >
        <Icon name="send" />
      </button>
    </>
  );
}

function tipOf(lock: LockReason, isEmpty: boolean): string {
  if (lock === "setup") return words.agent.setupTip;
  if (lock === "chooseModel") return words.agent.chooseTip;
  return isEmpty ? words.agent.emptyTip : words.agent.sendTip;
}

export function PlanSwitch({ isOn, disabled }: { isOn: boolean; disabled: boolean }) {
  return (
    <button
      type="button"
      className={styles.quiet}
      aria-pressed={isOn}
      aria-label={words.agent.plan}
      title={`${words.agent.plan}: ${words.agent.planTip}`}
      disabled={disabled}
      onClick={() => agent.set({ isPlanning: !isOn })}
    >
      <Icon name="plan" />
    </button>
  );
}
