import { useState } from "react";
import { words } from "../../glossary";
import { IconButton } from "../../parts/button/Button";
import { Icon, type IconName } from "../../parts/icon/Icon";
import type { Sync, SyncState } from "../../site/sync";
import styles from "./Site.module.css";
import { useSyncState } from "./use-sync";

/** Whether what was done is safe, and the way back. */
export function SaveState({ sync, editable }: { sync: Sync; editable: boolean }) {
  const state = useSyncState(sync);
  const [busy, setBusy] = useState(false);
  const { text, icon, tone } = said(state);
  const run = (action: () => Promise<void>) => {
    setBusy(true);
    void action().finally(() => setBusy(false));
  };
  return (
    <div className={styles.state}>
      <span className={styles.saved} role="status" data-tone={tone}>
        <Icon name={icon} />
        <span>{text}</span>
      </span>
      {editable && (
        <>
          <IconButton
            label={words.site.undo}
            icon="undo"
            data-tour="undo"
            disabled={busy || !state.canUndo}
            onClick={() => run(sync.undo)}
          />
          <IconButton
            label={words.site.redo}
            icon="redo"
            disabled={busy || !state.canRedo}
            onClick={() => run(sync.redo)}
          />
        </>
      )}
    </div>
  );
}

function said({ link, waiting, damage }: SyncState): {
  text: string;
  icon: IconName;
  tone: "calm" | "caution" | "busy";
} {
  if (damage !== undefined) return { text: words.site.damaged, icon: "lock", tone: "caution" };
  if (link === "lost") {
    const text = waiting === 0 ? words.site.offline : words.site.offlineWaiting(waiting);
    return { text, icon: "cloudOff", tone: "caution" };
  }
  if (waiting > 0) return { text: words.site.saving, icon: "clock", tone: "busy" };
  if (link === "opening") return { text: words.site.connecting, icon: "clock", tone: "busy" };
  return { text: words.site.saved, icon: "check", tone: "calm" };
}
