import { useEffect } from "react";
import type { Providers } from "../../agent/providers";
import { agent } from "../../app-state";
import { useChat, usePanel, useProviders } from "../../hooks/use-agent";
import { Arrived } from "./Arrived";
import { Composer } from "./Composer";
import { Conversation } from "./Conversation";
import styles from "./Panel.module.css";
import { PanelHeader } from "./PanelHeader";
import { Step } from "./Step";

/** The assistant: what was said, what is going on, and where to say more. */
export function AgentPanel({ takesFocus }: { takesFocus: boolean }) {
  const chat = useChat();
  const providers = useProviders();
  const { workspace } = usePanel();
  useEffect(() => {
    const { chat, providers } = agent.of(workspace);
    void chat.resume();
    return watchProviders(providers);
  }, [workspace]);
  return (
    <div className={styles.panel}>
      <PanelHeader chat={chat} />
      <Conversation chat={chat} providers={providers} />
      <div className={styles.foot}>
        {providers.arrived !== undefined && <Arrived chat={chat} providers={providers} />}
        <Step chat={chat} />
        <Composer chat={chat} providers={providers} takesFocus={takesFocus} />
      </div>
    </div>
  );
}

/** Credentials may be added elsewhere; coming back to the tab is when that shows. */
function watchProviders(providers: Providers): () => void {
  const look = () => void providers.refresh().catch(() => undefined);
  look();
  window.addEventListener("focus", look);
  return () => window.removeEventListener("focus", look);
}
