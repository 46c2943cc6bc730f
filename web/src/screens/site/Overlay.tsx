import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { actions } from "../../app-state";
import type { Canvas } from "../../canvas/canvas";
import { words } from "../../glossary";
import { useSelection } from "../../hooks/use-selection";
import { IconButton } from "../../parts/button/Button";
import { Icon } from "../../parts/icon/Icon";
import type { PageEntry } from "../../site/model";
import { isSamePlace, type NodePlace } from "../../site/selection";
import type { Sync } from "../../site/sync";
import { openElementMenu } from "./element-menu";
import { type Flash, useFlashes } from "./flashes";
import { layerName } from "./layer-words";
import styles from "./Overlay.module.css";
import type { Signal } from "./signal";

interface OverlayProps {
  canvas: Canvas;
  sync: Sync;
  page: PageEntry;
  zoom: number;
  moved: Signal;
  isActive: boolean;
}

interface Outline {
  key: string;
  look: "hovered" | "selected" | "flash";
  place: NodePlace;
  boxes: readonly Box[];
  who?: string;
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The outlines over a frame. They lie outside of it, so that the page stays what visitors get. */
export function Overlay({ canvas, sync, page, zoom, moved, isActive }: OverlayProps) {
  const { node, hovered } = useSelection();
  const flashes = useFlashes();
  const [outlines, setOutlines] = useState<readonly Outline[]>([]);
  const [writing, setWriting] = useState(false);

  // Places are measured when the screen is drawn next, once for everything that happened until then.
  useEffect(() => {
    let waiting = 0;
    const measure = () => {
      const wanted = wantedOutlines(node, hovered, flashes);
      setOutlines(wanted.map((outline) => ({ ...outline, boxes: canvas.boxesOf(outline.place.node) })));
      setWriting(canvas.isWriting());
    };
    const look = () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(measure);
    };
    const leave = moved.subscribe(look);
    look();
    return () => {
      leave();
      cancelAnimationFrame(waiting);
    };
  }, [canvas, moved, node, hovered, flashes]);

  return (
    <div className={styles.overlay}>
      {outlines.map((outline) =>
        outline.boxes.map((box, at) => (
          <div
            key={`${outline.key} ${at}`}
            className={styles.outline}
            data-look={outline.look}
            data-writing={outline.look === "selected" && writing}
            style={{
              left: box.left * zoom,
              top: box.top * zoom,
              width: box.width * zoom,
              height: box.height * zoom,
            }}
          >
            {at === 0 && <Tag outline={outline} box={box} {...{ sync, page, zoom, isActive, writing }} />}
          </div>
        )),
      )}
    </div>
  );
}

function wantedOutlines(
  node: NodePlace | undefined,
  hovered: NodePlace | undefined,
  flashes: readonly Flash[],
): Omit<Outline, "boxes">[] {
  const wanted: Omit<Outline, "boxes">[] = flashes.map(({ id, place, who }) => ({
    key: `flash ${id}`,
    look: "flash",
    place,
    who,
  }));
  if (hovered !== undefined && !isSamePlace(hovered, node)) {
    wanted.push({ key: "hovered", look: "hovered", place: hovered });
  }
  if (node !== undefined) wanted.push({ key: "selected", look: "selected", place: node });
  return wanted;
}

interface TagProps extends Pick<OverlayProps, "sync" | "page" | "zoom" | "isActive"> {
  outline: Outline;
  box: Box;
  writing: boolean;
}

/** The room a tag needs above what it names. */
const TAG_HEIGHT = 30;
/** What is taller can hold its tag without being hidden by it. */
const TALL = 160;

/** Where the tag stands: above, or at the top edge of the frame below what is small and inside what is large. */
function sideOf({ top, height }: Box, zoom: number): "above" | "below" | "inside" {
  if (top * zoom >= TAG_HEIGHT) return "above";
  return height * zoom < TALL ? "below" : "inside";
}

function Tag({ outline, box, sync, page, zoom, isActive, writing }: TagProps) {
  const { place, look, who } = outline;
  if (look === "flash") return <TagBox side={sideOf(box, zoom)}>{who}</TagBox>;
  const view = sync.copy().node(place.body, place.node);
  if (view === undefined || (look === "selected" && (!isActive || writing))) return null;
  const foreign = place.body !== page.id;
  return (
    <TagBox side={sideOf(box, zoom)}>
      {layerName(view)}
      {view.lock !== "open" && <Icon name="lock" />}
      {foreign && <small>{words.editor.fromTemplate}</small>}
      {look === "selected" && (
        <span className={styles.tools}>
          {foreign ? (
            <button type="button" onClick={() => actions.run("element.openTemplate")}>
              {words.editor.openTemplate}
            </button>
          ) : (
            <IconButton label={words.editor.elementMenu} icon="more" onClick={openElementMenu} />
          )}
        </span>
      )}
    </TagBox>
  );
}

/** A tag that stays within its frame: one that begins near the right edge is pulled back, so that all of it can be reached. */
function TagBox({ side, children }: { side: ReturnType<typeof sideOf>; children: ReactNode }) {
  const ref = useRef<HTMLSpanElement>(null);
  // After each rendering: the tag's place and width both follow from what is rendered.
  useLayoutEffect(() => {
    const tag = ref.current;
    const outline = tag?.parentElement;
    const room = outline?.parentElement;
    if (!tag || !outline || !room) return;
    const beyond = outline.offsetLeft + tag.offsetLeft + tag.offsetWidth - room.clientWidth;
    const back = Math.min(Math.max(0, beyond), outline.offsetLeft);
    tag.style.translate = back > 0 ? `${-back}px` : "";
  });
  return (
    <span ref={ref} className={styles.tag} data-side={side}>
      {children}
    </span>
  );
}
