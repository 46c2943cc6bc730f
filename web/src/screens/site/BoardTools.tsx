import type { Board } from "../../canvas/board";
import { percent } from "../../canvas/zoom";
import { words } from "../../glossary";
import { useMedia } from "../../hooks/use-media";
import { IconButton } from "../../parts/button/Button";
import type { Breakpoint } from "../../site/model";
import styles from "./Board.module.css";
import { useActions } from "./use-actions";
import { useBoardState } from "./use-board";
import type { Zoom } from "./use-zoom";

interface BoardToolsProps {
  board: Board;
  zoom: Zoom;
  breakpoints: readonly Breakpoint[];
  active: string | undefined;
  /** Whether there is room for one frame alone. */
  isNarrow: boolean;
  onChoose(breakpoint: string): void;
}

/** The bar above the frames: which of them is active, how large they are, and in which colours. */
export function BoardTools({ board, zoom, breakpoints, active, isNarrow, onChoose }: BoardToolsProps) {
  const scheme = useScheme(board);
  const texts = words.editor.actions;
  return (
    <div className={styles.tools}>
      <fieldset className={styles.widths}>
        <legend className="visually-hidden">{words.editor.breakpoint}</legend>
        {breakpoints.map(({ id, label, width }) => (
          <button
            key={id}
            type="button"
            aria-pressed={id === active}
            title={words.editor.width(width)}
            onClick={() => onChoose(id)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <div className={styles.zoom}>
        <IconButton
          label={words.editor.scheme}
          icon={scheme.isDark ? "moon" : "sun"}
          aria-pressed={scheme.isDark}
          onClick={scheme.toggle}
        />
        <IconButton label={texts.zoomOut} icon="minus" onClick={zoom.stepOut} />
        <button type="button" title={texts.zoomFull} onClick={zoom.toFull}>
          {percent(zoom.value)}
        </button>
        <IconButton label={texts.zoomIn} icon="plus" onClick={zoom.stepIn} />
        <IconButton label={texts.zoomFit} icon="fit" onClick={zoom.fit} />
        {!isNarrow && breakpoints.length > 1 && (
          <IconButton label={texts.zoomAll} icon="fitAll" aria-pressed={zoom.isAll} onClick={zoom.fitAll} />
        )}
      </div>
    </div>
  );
}

/** Whether the frames show the dark design, which they do by themselves where the browser prefers it. */
function useScheme(board: Board): { isDark: boolean; toggle(): void } {
  const prefersDark = useMedia("(prefers-color-scheme: dark)");
  const { scheme } = useBoardState(board);
  const isDark = scheme === undefined ? prefersDark : scheme === "dark";
  // What the browser prefers needs no answer of ours.
  const toggle = () => board.setScheme(isDark !== prefersDark ? undefined : isDark ? "light" : "dark");
  useActions(
    () => [
      {
        id: "view.scheme",
        group: "view",
        label: words.editor.actions.scheme,
        icon: isDark ? "sun" : "moon",
        run: toggle,
      },
    ],
    [board, isDark, prefersDark],
  );
  return { isDark, toggle };
}
