import {
  type PointerEvent,
  type KeyboardEvent as ReactKeyboardEvent,
  useEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import { may } from "../../access/permissions";
import { clampWidth, WIDTH } from "../../agent/agent";
import { underWay } from "../../agent/agent-words";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { useChat, usePanel } from "../../hooks/use-agent";
import { useSession } from "../../hooks/use-session";
import { Icon } from "../../parts/icon/Icon";
import { ariaKeys, isPressed } from "../site/keys";
import { useActions } from "../site/use-actions";
import { AgentPanel } from "./AgentPanel";
import styles from "./Dock.module.css";
import { useExecutor } from "./use-executor";

const KEYS = "Mod+I";
const TOGGLE = "assistant-toggle";
const STEP = 24;

/** Whether this person may talk to the assistant at all. */
export function useMayChat(): boolean {
  const { capabilities } = useSession();
  return may(capabilities, { needs: "ai.chat" });
}

const NARROW = "(max-width: 52rem)";

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(NARROW);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => window.matchMedia(NARROW).matches,
  );
}

/** What the open dock means for the page: the room it must leave, or that it is covered. */
export function useDockRoom(mayChat: boolean): { width: number; isCovered: boolean } {
  const { isOpen, width } = usePanel();
  const isNarrow = useIsNarrow();
  const isShown = mayChat && isOpen;
  return { width: isShown && !isNarrow ? width : 0, isCovered: isShown && isNarrow };
}

/** The button that opens and closes the assistant, with a sign when it works. */
export function DockToggle({ look }: { look: "entry" | "icon" }) {
  const { isOpen } = usePanel();
  const { transcript } = useChat();
  const isBusy = underWay(transcript.turns) !== undefined;
  return (
    <button
      type="button"
      id={look === "entry" ? TOGGLE : undefined}
      className={styles.toggle}
      data-look={look}
      data-tour="assistant"
      data-busy={isBusy}
      aria-expanded={isOpen}
      aria-controls="assistant"
      aria-keyshortcuts={ariaKeys(KEYS)}
      aria-label={look === "icon" ? words.agent.name : undefined}
      onClick={() => agent.toggle()}
    >
      <Icon name="assistant" />
      {look === "entry" && words.agent.name}
      {isBusy && <span className="visually-hidden"> {words.agent.streaming}</span>}
    </button>
  );
}

/** The assistant beside every page; on a small screen it covers the page. */
export function Dock() {
  const { isOpen, width } = usePanel();
  const isNarrow = useIsNarrow();
  useToggleKeys();
  useExecutor();
  useActions(
    () => [
      {
        id: "assistant.toggle",
        label: () => (agent.get().isOpen ? words.agent.close : words.agent.open),
        group: "assistant",
        icon: "assistant",
        keys: [KEYS],
        run: () => agent.toggle(),
      },
      { id: "assistant.new", label: words.agent.newChat, group: "assistant", run: startAnew },
    ],
    [],
  );
  const wasOpen = useRef(isOpen);
  // A page that is loaded with it open keeps the browser's own focus.
  const isFresh = useRef(!isOpen);
  useEffect(() => {
    if (!isOpen) isFresh.current = true;
    // Whoever closes it goes back to where it is opened.
    if (wasOpen.current && !isOpen) document.getElementById(TOGGLE)?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <aside
      className={styles.dock}
      id="assistant"
      aria-label={words.agent.name}
      style={{ inlineSize: isNarrow ? undefined : width }}
    >
      <Resizer width={width} />
      <AgentPanel takesFocus={isFresh.current} />
    </aside>
  );
}

function startAnew() {
  agent.newChat();
  agent.set({ isOpen: true });
}

function useToggleKeys() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !isPressed(KEYS, event)) return;
      event.preventDefault();
      agent.toggle();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function Resizer({ width }: { width: number }) {
  function onPointerDown(event: PointerEvent<HTMLHRElement>) {
    const from = event.clientX;
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const onMove = (moved: globalThis.PointerEvent) => agent.set({ width: clampWidth(width + from - moved.clientX) });
    handle.addEventListener("pointermove", onMove);
    handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", onMove), { once: true });
  }
  function onKeyDown({ key }: ReactKeyboardEvent) {
    if (key === "ArrowLeft") agent.set({ width: clampWidth(width + STEP) });
    if (key === "ArrowRight") agent.set({ width: clampWidth(width - STEP) });
  }
  return (
    <hr
      className={styles.resizer}
      aria-orientation="vertical"
      aria-label={words.agent.resize}
      aria-valuenow={width}
      aria-valuemin={WIDTH.least}
      aria-valuemax={WIDTH.most}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
