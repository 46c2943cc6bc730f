import type { ReactNode } from "react";
import { type ApiError, NO_ANSWER } from "../../api/problem";
import { words } from "../../glossary";
import { Button } from "../button/Button";
import { Icon, type IconName } from "../icon/Icon";
import styles from "./Problem.module.css";

/** What went wrong with something the person just did, beside where they did it. */
export function ProblemNote({ problem }: { problem: ApiError | undefined }) {
  return (
    <div className={styles.alert} role="alert">
      {problem && <Note tone="danger">{problem.message}</Note>}
    </div>
  );
}

const SIGNS = { danger: "alert", caution: "alert", calm: "check", plain: "clock" } as const;

interface NoteProps {
  tone: keyof typeof SIGNS;
  /** Another sign than that of the tone. */
  icon?: IconName;
  children: ReactNode;
}

export function Note({ tone, icon = SIGNS[tone], children }: NoteProps) {
  return (
    <div className={styles.note} data-tone={tone}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

interface ProblemPanelProps {
  error: ApiError;
  onRetry(): void;
}

/** In the place of what could not be loaded. */
export function ProblemPanel({ error, onRetry }: ProblemPanelProps) {
  return (
    <div className={styles.panel} role="alert">
      <Icon name={error.status === NO_ANSWER ? "cloudOff" : "alert"} />
      <p>{error.message}</p>
      {error.requestId !== undefined && <p className={styles.reference}>Reference {error.requestId}</p>}
      <Button onClick={onRetry}>{words.actions.retry}</Button>
    </div>
  );
}
