import { memo, useEffect, useRef, useState } from "react";
import type { Board } from "../../canvas/board";
import { type Canvas, createCanvas } from "../../canvas/canvas";
import { contentHeight, createFrameHeight, windowHeight } from "../../canvas/frame-height";
import { words } from "../../glossary";
import { useSelected } from "../../hooks/use-selection";
import type { Breakpoint, PageEntry } from "../../site/model";
import { lookAtBreakpoint } from "../../site/selection";
import type { Sync } from "../../site/sync";
import styles from "./Board.module.css";
import type { MenuPoint } from "./element-menu";
import { createFrameOwner } from "./frame-owner";
import { InsertMarks } from "./insert/InsertMarks";
import { Overlay } from "./Overlay";
import { createSignal } from "./signal";

interface BoardFrameProps {
  board: Board;
  sync: Sync;
  page: PageEntry;
  breakpoint: Breakpoint;
  zoom: number;
  isActive: boolean;
  editable: boolean;
  onZoom(deltaY: number, point: MenuPoint): void;
  onPull(event: PointerEvent): void;
}

/** The page at one width. The frame runs no scripts; what happens in it is heard from out here. */
export const BoardFrame = memo(function BoardFrame(props: BoardFrameProps) {
  const { board, sync, page, breakpoint, zoom, isActive, editable, onZoom, onPull } = props;
  const [moved] = useState(createSignal);
  const [canvas, setCanvas] = useState<Canvas>();
  const room = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const title = `${breakpoint.id}-title`;

  // Writing a page into the frame counts as loading it once more; the document stays the same one.
  const known = useRef<Document>(null);
  function arrived() {
    const document = frame.current?.contentDocument ?? null;
    if (document === null || document === known.current) return;
    known.current = document;
    const made: Canvas = createCanvas(document, sync, editable, {
      ...createFrameOwner({
        ...{ board, sync, breakpoint: breakpoint.id, editable, onZoom, onPull },
        frame: () => frame.current,
      }),
      onMoved: moved.tell,
      onWrite: (place, text) => board.mirror(made, place, text),
    });
    setCanvas(made);
  }

  useEffect(
    () => (canvas === undefined ? undefined : board.attach(breakpoint.id, canvas)),
    [board, breakpoint.id, canvas],
  );

  const selected = useSelected(({ node }) => node?.node);
  useEffect(() => canvas?.disclose(selected), [canvas, selected]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins with the height of a window again.
  useEffect(() => {
    const box = room.current;
    if (canvas === undefined || box === null) return;
    const height = createFrameHeight(breakpoint.width, {
      content: () => contentHeight(canvas.document),
      resize: (next) => box.style.setProperty("--frame-height", `${next}px`),
    });
    box.style.setProperty("--frame-height", `${windowHeight(breakpoint.width)}px`);
    // Following at once would ask for the layout in the middle of changing it.
    let waiting = 0;
    const look = () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => height.follow());
    };
    const leave = moved.subscribe(look);
    const observer = new ResizeObserver(() => moved.tell());
    observer.observe(box);
    look();
    return () => {
      leave();
      observer.disconnect();
      cancelAnimationFrame(waiting);
    };
  }, [canvas, breakpoint.width, moved, page.id]);

  return (
    <figure className={styles.frame} data-active={isActive} aria-labelledby={title}>
      <figcaption id={title}>
        <button type="button" aria-pressed={isActive} onClick={() => lookAtBreakpoint(breakpoint.id)}>
          <span>{breakpoint.label}</span>
          <small>{words.editor.width(breakpoint.width)}</small>
        </button>
      </figcaption>
      <div
        ref={room}
        className={styles.room}
        style={{ "--frame-width": `${breakpoint.width}px`, "--zoom": zoom } as React.CSSProperties}
      >
        <iframe
          ref={frame}
          className={styles.canvas}
          data-frame={breakpoint.id}
          title={words.editor.frame(page.title, breakpoint.label)}
          src="/admin/canvas.html"
          sandbox="allow-same-origin"
          onLoad={arrived}
        />
        {canvas !== undefined && (
          <Overlay canvas={canvas} sync={sync} page={page} zoom={zoom} moved={moved} isActive={isActive} />
        )}
        {canvas !== undefined && isActive && editable && (
          <InsertMarks {...{ canvas, board, sync, page, zoom, moved }} />
        )}
      </div>
    </figure>
  );
});
