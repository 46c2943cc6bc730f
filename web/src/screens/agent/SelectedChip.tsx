import { useSyncExternalStore } from "react";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { usePanel } from "../../hooks/use-agent";
import { Icon } from "../../parts/icon/Icon";
import { openSync } from "../../site/open-sync";
import { selection } from "../../site/selection";
import styles from "./Composer.module.css";

/** The element that "this" means in the next message. */
export function SelectedChip() {
  const { node } = useSyncExternalStore(selection.subscribe, selection.get);
  const sync = useSyncExternalStore(openSync.subscribe, openSync.get);
  const { withoutSelection } = usePanel();
  if (node === undefined || sync === undefined || withoutSelection) return null;
  const shown = sync.get().phase === "ready" ? sync.copy().node(node.body, node.node) : undefined;
  if (shown === undefined) return null;
  const name = shown.detail ? `${shown.name}, ${shown.detail}` : shown.name;
  return (
    <p className={styles.chip}>
      <span>{words.agent.selected(name)}</span>
      <button
        type="button"
        aria-label={words.agent.removeSelected}
        onClick={() => agent.set({ withoutSelection: true })}
      >
        <Icon name="close" />
      </button>
    </p>
  );
}
