import { useId, useState } from "react";
import { agent, agentApi } from "../../app-state";
import type { ConversationView } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { usePanel } from "../../hooks/use-agent";
import { IconButton } from "../../parts/button/Button";
import { Confirm } from "../../parts/dialog/Confirm";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import styles from "./Panel.module.css";

/** Past conversations: to look at, to go on with, to delete. */
export function History({ current }: { current: string | null }) {
  const id = useId();
  const [listed, setListed] = useState<readonly ConversationView[]>();
  const [deleting, setDeleting] = useState<ConversationView>();
  const { workspace } = usePanel();
  const loading = useAction(async () => setListed(await agentApi.conversations(workspace)));
  const close = () => document.getElementById(id)?.hidePopover();
  return (
    <>
      <IconButton label={words.agent.history} icon="clock" popoverTarget={id} />
      <div
        id={id}
        popover="auto"
        className={styles.history}
        role="dialog"
        aria-label={words.agent.history}
        onToggle={(event) => event.newState === "open" && loading.run()}
      >
        <ProblemNote problem={loading.problem} />
        {listed?.length === 0 && <p className={styles.faint}>{words.agent.noHistory}</p>}
        <ul>
          {listed?.map((conversation) => (
            <li key={conversation.id} data-current={conversation.id === current}>
              <button
                type="button"
                aria-current={conversation.id === current ? "true" : undefined}
                onClick={() => {
                  close();
                  void agent.chat.restore(conversation.id);
                }}
              >
                <span>{titleOf(conversation)}</span>
                <small>
                  <When at={conversation.updatedAt} />
                </small>
              </button>
              <IconButton
                label={words.agent.deleteChat(titleOf(conversation))}
                icon="trash"
                onClick={() => {
                  close();
                  setDeleting(conversation);
                }}
              />
            </li>
          ))}
        </ul>
      </div>
      {deleting !== undefined && (
        <Confirm
          title={words.agent.deleteTitle}
          verb={words.actions.delete}
          action={() => remove(deleting.id, current)}
          onClose={() => setDeleting(undefined)}
        >
          “{titleOf(deleting)}”. {words.agent.deleteText}
        </Confirm>
      )}
    </>
  );
}

async function remove(id: string, current: string | null): Promise<void> {
  await (id === current ? agent.chat.clear() : agentApi.remove(id));
}

function titleOf({ title }: ConversationView): string {
  return title === "" ? words.agent.untitled : title;
}
