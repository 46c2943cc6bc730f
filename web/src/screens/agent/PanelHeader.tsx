import { useState } from "react";
import { useLocation } from "wouter";
import { underWay } from "../../agent/agent-words";
import type { ChatState } from "../../agent/chat";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { Badge } from "../../parts/badge/Badge";
import { IconButton } from "../../parts/button/Button";
import { Confirm } from "../../parts/dialog/Confirm";
import { History } from "./History";
import styles from "./Panel.module.css";

export function PanelHeader({ chat }: { chat: ChatState }) {
  const [, navigate] = useLocation();
  const [isClearing, setClearing] = useState(false);
  const turn = underWay(chat.transcript.turns);
  return (
    <header className={styles.header}>
      <h2>{words.agent.name}</h2>
      {turn !== undefined && (
        <Badge tone={turn.status === "waiting" ? "caution" : "accent"}>
          {turn.status === "waiting" ? words.agent.waiting : words.agent.streaming}
        </Badge>
      )}
      <div className={styles.tools}>
        <History current={chat.conversationId} />
        <IconButton label={words.agent.newChat} icon="plus" onClick={() => agent.newChat()} />
        {chat.transcript.turns.length > 0 && (
          <IconButton label={words.agent.clear} icon="sweep" onClick={() => setClearing(true)} />
        )}
        <IconButton label={words.agent.settings} icon="settings" onClick={() => navigate("/ai")} />
        <IconButton label={words.agent.close} icon="close" onClick={() => agent.set({ isOpen: false })} />
      </div>
      {isClearing && (
        <Confirm
          title={words.agent.clearTitle}
          verb={words.agent.clear}
          action={() => agent.chat.clear()}
          onClose={() => setClearing(false)}
        >
          {words.agent.deleteText}
        </Confirm>
      )}
    </header>
  );
}
