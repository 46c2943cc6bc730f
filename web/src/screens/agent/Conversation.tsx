import type { ChatState } from "../../agent/chat";
import { refusalOf } from "../../agent/failures";
import { lockReason, type ProvidersState } from "../../agent/providers";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { LoadingRows } from "../../parts/loading/Loading";
import { Note } from "../../parts/problem/Problem";
import { FailureNote } from "./FailureNote";
import styles from "./Panel.module.css";
import { ChooseModel, Ready, SetUp } from "./Starts";
import { TurnView } from "./TurnView";
import { useFollowing } from "./use-following";
import { useRevertedTurns } from "./use-reverted-turns";

/** Everything that was said. It stays at its end while somebody follows, and where they are when they read back. */
export function Conversation({ chat, providers }: { chat: ChatState; providers: ProvidersState }) {
  const { transcript, restoring } = chat;
  const following = useFollowing(transcript.turns.length + transcript.queued.length);
  const reverted = useRevertedTurns(transcript.turns);
  return (
    <div
      ref={following.ref}
      className={styles.log}
      role="log"
      aria-label={words.agent.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
      tabIndex={0}
      onScroll={following.onScroll}
    >
      <div className={styles.said}>
        {restoring && <LoadingRows />}
        {!restoring && transcript.turns.length === 0 && <Start providers={providers} />}
        {transcript.turns.map((turn, position) => (
          <TurnView
            key={turn.id || "new"}
            turn={turn}
            outcome={chat.outcomes[turn.id]}
            applied={chat.applied[turn.id]}
            isReverted={reverted.has(turn.id)}
            isLast={position === transcript.turns.length - 1}
          />
        ))}
        {transcript.queued.map((text, position) => (
          <div key={position} className={styles.queued}>
            <p>{text}</p>
            <small>{words.agent.queued}</small>
          </div>
        ))}
        <Problem chat={chat} />
      </div>
    </div>
  );
}

function Start({ providers }: { providers: ProvidersState }) {
  // Nothing flashes while nobody knows yet.
  if (providers.credentials === undefined) return null;
  const lock = lockReason(providers);
  if (lock === "setup") return <SetUp />;
  return lock === "chooseModel" ? <ChooseModel /> : <Ready providers={providers} />;
}

/** Why the last thing somebody tried did not work, before there was a turn. */
function Problem({ chat: { problem } }: { chat: ChatState }) {
  if (problem === undefined) return <div role="alert" />;
  const failure = refusalOf(problem);
  return (
    <div role="alert" className={styles.problem}>
      {failure === undefined ? (
        <Note tone="danger">{problem.message}</Note>
      ) : (
        <FailureNote failure={failure} onDone={() => agent.chat.dismissProblem()} />
      )}
    </div>
  );
}
