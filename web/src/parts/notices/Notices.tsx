import { useSyncExternalStore } from "react";
import { notices } from "../../app-state";
import { words } from "../../glossary";
import { IconButton } from "../button/Button";
import { Icon } from "../icon/Icon";
import styles from "./Notices.module.css";

/** Confirmations; each leaves when its animation is over, which pauses under the pointer and under the focus. */
export function Notices() {
  const shown = useSyncExternalStore(notices.subscribe, notices.get);
  return (
    <div className={styles.notices} role="status">
      {shown.map(({ id, text }) => (
        <div
          key={id}
          className={styles.notice}
          onAnimationEnd={(event) => event.target === event.currentTarget && notices.dismiss(id)}
        >
          <Icon name="check" />
          <span>{text}</span>
          <IconButton label={words.actions.close} icon="close" onClick={() => notices.dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
