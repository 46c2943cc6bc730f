import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { actions } from "../../../app-state";
import type { Board } from "../../../canvas/board";
import type { Canvas } from "../../../canvas/canvas";
import { words } from "../../../glossary";
import { useSelection } from "../../../hooks/use-selection";
import { Button } from "../../../parts/button/Button";
import { Icon } from "../../../parts/icon/Icon";
import type { PageEntry } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import type { Target } from "../layers/drop";
import type { Signal } from "../signal";
import styles from "./InsertMarks.module.css";
import { canvasPointer, insertState, updateInsert } from "./insert-state";
import { type InsertMarksData, type InsertSpot, measureMarks, spotNear } from "./marks";

interface InsertMarksProps {
  canvas: Canvas;
  board: Board;
  sync: Sync;
  page: PageEntry;
  zoom: number;
  moved: Signal;
}

const texts = words.insert;

/** The ways to insert something on the canvas, and the mark of where it would go. They lie over the frame, as outlines do. */
export function InsertMarks({ canvas, board, sync, page, zoom, moved }: InsertMarksProps) {
  const selected = useSelection();
  const state = useSyncExternalStore(insertState.subscribe, insertState.get);
  const [{ spots, empty, mark }, setMarks] = useState<InsertMarksData>({ spots: [] });

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected or pointed at has marks of its own.
  useEffect(() => {
    let waiting = 0;
    const look = () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() =>
        setMarks(measureMarks({ canvas, board, sync, page: page.id, zoom }, state)),
      );
    };
    const leave = moved.subscribe(look);
    look();
    return () => {
      leave();
      cancelAnimationFrame(waiting);
    };
  }, [canvas, board, sync, page.id, zoom, moved, state, selected]);

  return (
    <div className={styles.marks}>
      {mark !== undefined && (
        <div
          className={styles.mark}
          data-side={mark.side}
          style={{
            left: mark.box.left * zoom,
            top: mark.box.top * zoom,
            width: Math.max(mark.box.width * zoom, 4),
            height: Math.max(mark.box.height * zoom, 4),
          }}
        />
      )}
      {empty !== undefined && (
        <div className={styles.empty} style={{ top: empty.box.top * zoom }}>
          <p>{texts.emptyPage}</p>
          <Button look="primary" icon="plus" onClick={() => insertAt(empty.target, "sections")}>
            {texts.firstSection}
          </Button>
        </div>
      )}
      <Spots spots={spots} zoom={zoom} />
    </div>
  );
}

function insertAt(point: Target, part: "sections" | "elements") {
  updateInsert({ point, part });
  actions.run("element.insert");
}

function labelOf({ target, name }: InsertSpot): string {
  if (target.side === "inside") return texts.into(name);
  return target.side === "before" ? texts.above(name) : texts.below(name);
}

/** One stop for the Tab key; the arrow keys go from one to the next. */
function Spots({ spots, zoom }: { spots: readonly InsertSpot[]; zoom: number }) {
  const group = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const at = Math.min(current, spots.length - 1);
  const near = useSyncExternalStore(canvasPointer.subscribe, () => spotNear(spots, canvasPointer.get(), zoom));

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    // The other keys of the canvas are about what is selected, and not about this.
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(at + step, spots.length - 1));
    setCurrent(next);
    group.current?.querySelectorAll("button")[next]?.focus();
  }

  if (spots.length === 0) return null;
  return (
    <div
      ref={group}
      role="toolbar"
      aria-label={texts.points}
      aria-orientation="vertical"
      onKeyDown={onKeyDown}
      className={styles.spots}
    >
      {spots.map((spot, index) => (
        <button
          key={spot.key}
          type="button"
          className={styles.spot}
          tabIndex={index === at ? 0 : -1}
          data-near={spot.isShown || spot.key === near}
          aria-label={labelOf(spot)}
          title={labelOf(spot)}
          style={{ left: spot.x * zoom, top: `clamp(1rem, ${spot.y * zoom}px, 100% - 1rem)` }}
          onFocus={() => setCurrent(index)}
          onClick={() => insertAt(spot.target, spot.target.side === "inside" ? "elements" : "sections")}
        >
          <Icon name="plus" />
        </button>
      ))}
    </div>
  );
}
