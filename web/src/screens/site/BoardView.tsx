import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import type { Board } from "../../canvas/board";
import { pull } from "../../canvas/pull";
import { words } from "../../glossary";
import { useSelected } from "../../hooks/use-selection";
import { Note, ProblemPanel } from "../../parts/problem/Problem";
import type { Breakpoint, PageEntry } from "../../site/model";
import { lookAtBreakpoint, selection } from "../../site/selection";
import type { Sync } from "../../site/sync";
import styles from "./Board.module.css";
import { BoardFrame } from "./BoardFrame";
import { BoardTools } from "./BoardTools";
import { useActions } from "./use-actions";
import { useBoardState } from "./use-board";
import { useReveal } from "./use-reveal";
import { useZoom, type Zoom } from "./use-zoom";

interface BoardViewProps {
  board: Board;
  sync: Sync;
  page: PageEntry;
  editable: boolean;
  isNarrow: boolean;
}

/** The page at each width of the site, side by side. On a narrow screen one of them has the room. */
export function BoardView({ board, sync, page, editable, isNarrow }: BoardViewProps) {
  const viewport = useRef<HTMLDivElement>(null);
  const breakpoints = useBreakpoints(sync, isNarrow);
  const chosen = useSelected(({ breakpoint }) => breakpoint);
  const active = breakpoints.find(({ id }) => id === chosen) ?? breakpoints[0];
  const shown = isNarrow && active !== undefined ? [active] : breakpoints;
  const widths = shown.map(({ width }) => width);
  const zoom = useZoom(viewport, widths, active?.width ?? 1, isNarrow);
  const { fit: fitFrame } = zoom;
  const fit = useCallback(() => {
    fitFrame();
    goTo(selection.get().breakpoint, viewport);
  }, [fitFrame]);
  const { problems, failure } = useBoardState(board);

  useEffect(() => board.show(page.id), [board, page.id]);
  useEffect(() => {
    if (active !== undefined) lookAtBreakpoint(active.id);
  }, [active]);
  const pullBoard = useCallback((event: PointerEvent) => {
    if (viewport.current !== null) pull(event, viewport.current);
  }, []);
  useNarrowFrame(isNarrow, breakpoints);
  // A frame that fits has another size and place after each fitting.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the zoom is what moves the frame.
  useLayoutEffect(() => {
    if (zoom.isFrame) showFrame(active?.id, viewport);
  }, [zoom.isFrame, zoom.value, active?.id]);
  useReveal(viewport, board);
  useWheel(viewport, zoom);
  useZoomActions({ ...zoom, fit }, breakpoints, viewport);

  return (
    <>
      <BoardTools
        board={board}
        zoom={{ ...zoom, fit }}
        breakpoints={breakpoints}
        active={active?.id}
        isNarrow={isNarrow}
        onChoose={(id) => goTo(id, viewport)}
      />
      {failure !== undefined && <ProblemPanel error={failure} onRetry={board.retry} />}
      {problems.map((problem) => (
        <Note key={problem} tone="caution">
          {problem}
        </Note>
      ))}
      <section
        ref={viewport}
        className={styles.viewport}
        data-zone="elements"
        aria-label={words.editor.board}
        onPointerDown={({ button, nativeEvent }) => button === 1 && pullBoard(nativeEvent)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
      >
        <div className={styles.frames}>
          {shown.map((breakpoint) => (
            <BoardFrame
              key={breakpoint.id}
              {...{ board, sync, page, breakpoint, editable }}
              zoom={zoom.value}
              isActive={breakpoint.id === active?.id}
              onZoom={zoom.wheel}
              onPull={pullBoard}
            />
          ))}
        </div>
      </section>
    </>
  );
}

/** The widths of the site, the widest first; on a narrow screen the narrowest. */
function useBreakpoints(sync: Sync, isNarrow: boolean): readonly Breakpoint[] {
  const written = JSON.stringify(sync.copy().breakpoints());
  return useMemo(() => {
    const breakpoints = JSON.parse(written) as Breakpoint[];
    return breakpoints.sort((one, other) => (isNarrow ? one.width - other.width : other.width - one.width));
  }, [written, isNarrow]);
}

/** Whoever makes the window narrow wants the frame for that, and the one of before when it is wide again. */
function useNarrowFrame(isNarrow: boolean, breakpoints: readonly Breakpoint[]) {
  const before = useRef<string>(undefined);
  useEffect(() => {
    const [narrowest] = breakpoints;
    if (isNarrow && narrowest !== undefined) {
      before.current ??= selection.get().breakpoint;
      lookAtBreakpoint(narrowest.id);
    } else if (before.current !== undefined) {
      lookAtBreakpoint(before.current);
      before.current = undefined;
    }
  }, [isNarrow, breakpoints]);
}

function goTo(id: string | undefined, viewport: RefObject<HTMLElement | null>) {
  if (id === undefined) return;
  lookAtBreakpoint(id);
  showFrame(id, viewport);
}

/** Brings a frame to the middle of the board. */
function showFrame(id: string | undefined, viewport: RefObject<HTMLElement | null>) {
  const board = viewport.current;
  const frame = id === undefined ? null : board?.querySelector(`[data-frame="${CSS.escape(id)}"]`);
  if (!board || !frame) return;
  const [room, box] = [board.getBoundingClientRect(), frame.getBoundingClientRect()];
  board.scrollLeft += box.left + box.width / 2 - (room.left + room.width / 2);
}

/** With Control or Command the wheel zooms; React's own listeners could not keep the browser from zooming everything. */
function useWheel(viewport: RefObject<HTMLElement | null>, { wheel }: Zoom) {
  useEffect(() => {
    const element = viewport.current;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      wheel(event.deltaY, { x: event.clientX, y: event.clientY });
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [viewport, wheel]);
}

function useZoomActions(zoom: Zoom, breakpoints: readonly Breakpoint[], viewport: RefObject<HTMLElement | null>) {
  const { stepIn, stepOut, toFull, fit, fitAll } = zoom;
  const texts = words.editor.actions;
  useActions(
    () => [
      { id: "view.zoomIn", group: "view", label: texts.zoomIn, icon: "plus", keys: ["Mod+Plus", "Mod+="], run: stepIn },
      { id: "view.zoomOut", group: "view", label: texts.zoomOut, icon: "minus", keys: ["Mod+-"], run: stepOut },
      { id: "view.zoomFull", group: "view", label: texts.zoomFull, keys: ["Mod+0"], run: toFull },
      { id: "view.zoomFit", group: "view", label: texts.zoomFit, icon: "fit", keys: ["Alt+1"], run: fit },
      { id: "view.zoomAll", group: "view", label: texts.zoomAll, keys: ["Alt+2"], run: fitAll },
      {
        id: "view.nextFrame",
        group: "view",
        label: texts.nextFrame,
        keys: ["Alt+3"],
        run: () => {
          const at = breakpoints.findIndex(({ id }) => id === selection.get().breakpoint);
          const next = breakpoints[(at + 1) % breakpoints.length];
          if (next !== undefined) goTo(next.id, viewport);
        },
      },
    ],
    [stepIn, stepOut, toFull, fit, fitAll, breakpoints, viewport],
  );
}
