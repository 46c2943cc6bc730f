// The zoom of the board: a number of the person's choice, or what makes the active frame or all of them fit.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { fitting, scrolledTo, stepped, wheeled } from "../../canvas/zoom";
import type { MenuPoint } from "./element-menu";

export interface Zoom {
  value: number;
  /** Whether it follows the active frame, or all frames. */
  isFrame: boolean;
  isAll: boolean;
  stepIn(): void;
  stepOut(): void;
  toFull(): void;
  fit(): void;
  fitAll(): void;
  /** After the turn of a wheel; what is under the pointer stays there. */
  wheel(deltaY: number, point: MenuPoint): void;
}

type Mode = "frame" | "all" | "free";

/** The room beside and between frames on the board. */
export const BOARD_GAP = 24;
const GAP_NARROW = 8;

export function useZoom(
  viewport: RefObject<HTMLElement | null>,
  widths: readonly number[],
  active: number,
  isNarrow: boolean,
): Zoom {
  const [mode, setMode] = useState<Mode>("frame");
  const [value, setValue] = useState(0.5);
  const anchor = useRef<{ x: number; y: number; before: number }>(undefined);
  const all = widths.join(" ");
  const gap = isNarrow ? GAP_NARROW : BOARD_GAP;

  useEffect(() => {
    const element = viewport.current;
    if (mode === "free" || element === null) return;
    const fit = () => {
      const shown = mode === "all" ? all.split(" ").map(Number) : [active];
      setValue(fitting(element.clientWidth, shown, gap));
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    fit();
    return () => observer.disconnect();
  }, [viewport, mode, all, active, gap]);

  useLayoutEffect(() => {
    const element = viewport.current;
    const from = anchor.current;
    anchor.current = undefined;
    if (element === null || from === undefined) return;
    element.scrollLeft = scrolledTo(element.scrollLeft, from.x, from.before, value);
    element.scrollTop = scrolledTo(element.scrollTop, from.y, from.before, value);
  }, [viewport, value]);

  const change = useCallback(
    (next: (zoom: number) => number, point?: MenuPoint) => {
      setMode("free");
      setValue((before) => {
        const box = viewport.current?.getBoundingClientRect();
        if (box !== undefined) {
          const at = point ?? { x: box.left + box.width / 2, y: box.top + box.height / 2 };
          anchor.current = { x: at.x - box.left, y: at.y - box.top, before };
        }
        return next(before);
      });
    },
    [viewport],
  );

  return {
    value,
    isFrame: mode === "frame",
    isAll: mode === "all",
    stepIn: useCallback(() => change((zoom) => stepped(zoom, "in")), [change]),
    stepOut: useCallback(() => change((zoom) => stepped(zoom, "out")), [change]),
    toFull: useCallback(() => change(() => 1), [change]),
    // At once, so that whoever asks can scroll to what fits now.
    fit: useCallback(() => {
      const room = viewport.current?.clientWidth;
      flushSync(() => {
        setMode("frame");
        if (room !== undefined) setValue(fitting(room, [active], gap));
      });
    }, [viewport, active, gap]),
    fitAll: useCallback(() => setMode("all"), []),
    wheel: useCallback((deltaY, point) => change((zoom) => wheeled(zoom, deltaY), point), [change]),
  };
}
