import { lastRequest } from "../../agent/agent-words";
import type { ChatState } from "../../agent/chat";
import { modelOf, type ProvidersState } from "../../agent/providers";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { Button, IconButton } from "../../parts/button/Button";
import { ProblemNote } from "../../parts/problem/Problem";
import styles from "./Panel.module.css";

/** The first credential is there: who answers from now on, and a way to ask them what was asked last. */
export function Arrived({ chat, providers }: { chat: ChatState; providers: ProvidersState }) {
  const { arrived } = providers;
  const last = lastRequest(chat.transcript.turns);
  const again = useAction(async (text: string) => {
    if (arrived !== undefined) await agent.choose(arrived);
    agent.providers.noted();
    await agent.say(text);
  });
  return (
    <div className={styles.arrived} role="status">
      <p>{words.agent.arrived(modelOf(providers)?.name ?? arrived?.modelId ?? "")}</p>
      <ProblemNote problem={again.problem} />
      {last !== undefined && (
        <Button busy={again.pending} onClick={() => again.run(last)}>
          {words.agent.sendAgain}
        </Button>
      )}
      <IconButton label={words.agent.dismiss} icon="close" onClick={() => agent.providers.noted()} />
    </div>
  );
}
