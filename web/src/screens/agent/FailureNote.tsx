import { useLocation } from "wouter";
import { lastRequest } from "../../agent/agent-words";
import type { Failure } from "../../agent/failures";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { Button } from "../../parts/button/Button";
import { Icon } from "../../parts/icon/Icon";
import styles from "./Panel.module.css";

/** Something of the closed list of failures, in the words of whoever refused, with the one thing to do about it. */
export function FailureNote({ failure, onDone }: { failure: Failure; onDone?(): void }) {
  const [, navigate] = useLocation();
  const { title, button } = words.agent.failures[failure.kind];
  const last = () => lastRequest(agent.chat.get().transcript.turns) ?? "";

  function act() {
    onDone?.();
    switch (failure.kind) {
      case "badKey":
      case "noCredit":
      case "month":
        return navigate("/ai");
      case "permission":
        return navigate("/account");
      case "rateLimited":
      case "providerDown":
      case "conflict":
        return void agent.say(last());
      case "noTools":
      case "noModel":
        return document.getElementById("assistant-model")?.focus();
      case "contextFull":
        return agent.newChat();
      case "refused":
        agent.set({ draft: last() });
        return document.getElementById("assistant-message")?.focus();
      case "cutOff":
      case "budget":
        return void agent.say(words.agent.continuePrompt);
    }
  }

  return (
    <div className={styles.failure}>
      <Icon name="alert" />
      <div>
        <strong>{title}</strong>
        <p>{failure.message}</p>
        <Button onClick={act}>{button}</Button>
      </div>
    </div>
  );
}
