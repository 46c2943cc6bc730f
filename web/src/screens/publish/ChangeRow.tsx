import { useId } from "react";
import type { ChangeInfo } from "../../api/publish-api";
import { words } from "../../glossary";
import { Badge } from "../../parts/badge/Badge";
import { Icon } from "../../parts/icon/Icon";
import { visible } from "../../words/visible-text";
import { authorNames } from "./authors";
import styles from "./Publish.module.css";

const TONES = { new: "accent", changed: "plain", removed: "caution" } as const;

interface ChangeRowProps {
  change: ChangeInfo;
  included: boolean;
  onChoose(included: boolean): void;
}

/** An address that would show something else, with a box to leave it out. */
export function ChangeRow({ change, included, onChoose }: ChangeRowProps) {
  const aboutId = useId();
  const warnings = [
    ...change.problems,
    ...(change.hasScripts ? [words.publishing.scripts] : []),
    ...(change.tainted ? [words.publishing.outside] : []),
  ];
  const who = authorNames(change.authors);
  return (
    <li className={styles.change} data-included={included}>
      <label>
        <input
          type="checkbox"
          checked={included}
          aria-describedby={aboutId}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <span className={styles.title}>
          <span>{visible(change.title)}</span> <code>{change.address}</code>
        </span>
        <Badge tone={TONES[change.change]}>{words.publishing.kinds[change.change]}</Badge>
      </label>
      <div className={styles.about} id={aboutId}>
        {who !== "" && <p>{who}</p>}
        {warnings.map((warning) => (
          <p key={warning} className={styles.warning}>
            <Icon name="alert" />
            {visible(warning)}
          </p>
        ))}
      </div>
    </li>
  );
}
