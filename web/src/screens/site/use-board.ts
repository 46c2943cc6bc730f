// The board of the editor: begun when the editor is there, ended with it.
import { useEffect, useState, useSyncExternalStore } from "react";
import { type Board, type BoardState, createBoard } from "../../canvas/board";
import type { Sync } from "../../site/sync";

export function useBoard(sync: Sync): Board | undefined {
  const [board, setBoard] = useState<Board>();
  useEffect(() => {
    const begun = createBoard(sync);
    setBoard(begun);
    const flush = () => begun.flush();
    window.addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", flush);
      begun.dispose();
    };
  }, [sync]);
  return board;
}

export function useBoardState(board: Board): BoardState {
  return useSyncExternalStore(board.subscribe, board.get);
}
