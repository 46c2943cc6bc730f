import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { underWay } from "../../agent/agent-words";
import type { ChatState } from "../../agent/chat";
import { isOffline, type LockReason, lockReason, modelOf, type ProvidersState } from "../../agent/providers";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { usePanel } from "../../hooks/use-agent";
import { ProblemNote } from "../../parts/problem/Problem";
import styles from "./Composer.module.css";
import { ContextMeter } from "./ContextMeter";
import { AddImages, ImageTray, useImages } from "./Images";
import { Mentions, useMentions } from "./Mentions";
import { ModelPicker } from "./ModelPicker";
import { SelectedChip } from "./SelectedChip";
import { PlanSwitch, SendButton } from "./SendButton";

interface ComposerProps {
  chat: ChatState;
  providers: ProvidersState;
  /** Whether somebody has just opened the panel. */
  takesFocus: boolean;
}

/** Where somebody says something: Enter sends, Shift and Enter breaks the line. */
export function Composer({ chat, providers, takesFocus }: ComposerProps) {
  const { draft, images, workspace, ...panel } = usePanel();
  const isPlanning = panel.isPlanning && workspace === "site";
  const field = useRef<HTMLTextAreaElement>(null);
  const lock = lockReason(providers);
  const turn = underWay(chat.transcript.turns);
  const adding = useImages();
  const mentions = useMentions(field);
  useGrowing(field, draft);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears.
  useEffect(() => {
    if (takesFocus) field.current?.focus({ preventScroll: true });
  }, []);

  const isEmpty = draft.trim() === "" && images.length === 0;
  function send() {
    if (lock === null && !isEmpty) void agent.send();
  }
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (mentions.onKeyDown(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }
  const onFiles = (event: ClipboardEvent | DragEvent, files: FileList) => {
    if (files.length === 0) return;
    event.preventDefault();
    adding.run([...files]);
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => onFiles(event, event.dataTransfer.files)}
    >
      {workspace === "site" && <SelectedChip />}
      <ImageTray images={images} />
      <ProblemNote problem={adding.problem} />
      <Mentions mentions={mentions} />
      <textarea
        ref={field}
        id="assistant-message"
        aria-label={words.agent.message}
        rows={1}
        value={draft}
        disabled={lock !== null}
        placeholder={placeholderOf(lock, turn !== undefined, isPlanning)}
        {...mentions.field}
        onChange={(event) => {
          agent.set({ draft: event.target.value });
          mentions.look(event.target);
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => onFiles(event, event.clipboardData.files)}
      />
      <div className={styles.bar}>
        {lock !== "setup" && <ModelPicker providers={providers} />}
        <ContextMeter used={chat.transcript.contextTokens} window={modelOf(providers)?.contextWindow} />
        <div className={styles.actions}>
          {!isOffline(providers.choice) && <AddImages disabled={lock !== null} onAdd={adding.run} />}
          {workspace === "site" && <PlanSwitch isOn={isPlanning} disabled={lock !== null} />}
          <SendButton lock={lock} isEmpty={isEmpty} isBusy={turn !== undefined} />
        </div>
      </div>
    </form>
  );
}

function placeholderOf(lock: LockReason, isBusy: boolean, isPlanning: boolean): string {
  if (lock === "setup") return words.agent.setupPlaceholder;
  if (lock === "chooseModel") return words.agent.choosePlaceholder;
  if (isBusy) return words.agent.placeholderBusy;
  return isPlanning ? words.agent.placeholderPlan : words.agent.placeholder;
}

/** As high as what is written in it, up to what its style allows. */
function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is written is what it grows with.
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight + 2}px`;
  }, [field, text]);
}
