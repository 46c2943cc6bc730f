// Everything about inserting by hand that the editor itself can do: the panel, the clipboard, and their keys.
import { useEffect, useMemo } from "react";
import type { Board } from "../../../canvas/board";
import { words } from "../../../glossary";
import type { Sync } from "../../../site/sync";
import { isForElements } from "../keys";
import { useActions } from "../use-actions";
import type { SetPanels } from "../use-panels";
import { createElementClipboard, openClipboard } from "./element-clipboard";
import { updateInsert } from "./insert-state";
import type { InsertHost } from "./insertion";

interface InsertOptions {
  sync: Sync;
  board: Board | undefined;
  page: string;
  editable: boolean;
  setPanels: SetPanels;
}

/** Registers the actions, and gives what the panel works with; nothing for those who only look. */
export function useInsert({ sync, board, page, editable, setPanels }: InsertOptions): InsertHost | undefined {
  const host = useMemo(() => (board === undefined ? undefined : { sync, board, page }), [sync, board, page]);
  const clipboard = useMemo(() => host && createElementClipboard(host, editable), [host, editable]);

  useEffect(() => {
    openClipboard.set(clipboard);
    if (clipboard === undefined) return;
    const listeners = new AbortController();
    // Text of the shell that somebody has marked is theirs to copy.
    const isMarked = () => window.getSelection()?.isCollapsed === false;
    const onEvent = (event: ClipboardEvent) => {
      if (isForElements(event) && (event.type === "paste" || !isMarked())) clipboard.onEvent(event);
    };
    for (const kind of ["copy", "cut", "paste"] as const) {
      document.addEventListener(kind, onEvent, { signal: listeners.signal });
    }
    return () => {
      listeners.abort();
      openClipboard.set(undefined);
    };
  }, [clipboard]);

  useActions(
    () => [
      {
        id: "element.insert",
        group: "element",
        label: words.insert.actions.insert,
        icon: "plus",
        keys: ["Alt+I"],
        keywords: words.insert.hint,
        isAvailable: () => editable,
        run: () => {
          setPanels({ left: true, tab: "insert" });
          updateInsert({ wantsFocus: true });
        },
      },
      ...(clipboard?.actions ?? []),
    ],
    [editable, setPanels, clipboard],
  );
  return editable ? host : undefined;
}
