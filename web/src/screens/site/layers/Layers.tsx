import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { actions } from "../../../app-state";
import type { Board } from "../../../canvas/board";
import { words } from "../../../glossary";
import { useSelection } from "../../../hooks/use-selection";
import { Button } from "../../../parts/button/Button";
import { Empty } from "../../../parts/empty/Empty";
import { LoadingRows } from "../../../parts/loading/Loading";
import type { PageEntry } from "../../../site/model";
import { hover, select } from "../../../site/selection";
import type { Sync } from "../../../site/sync";
import { put } from "../element-actions";
import { elementMenu } from "../element-menu";
import { useFlashes } from "../flashes";
import { useBoardState } from "../use-board";
import { LayerRow } from "./LayerRow";
import styles from "./Layers.module.css";
import { renaming } from "./renaming";
import { rowForKey, rowForText } from "./tree-keys";
import { useLayerDrag } from "./use-layer-drag";
import { useLayerTree } from "./use-layer-tree";

interface LayersProps {
  board: Board;
  sync: Sync;
  page: PageEntry;
  editable: boolean;
}

const ROW_HEIGHT = 30;
/** Rows beyond the edges that are ready to be scrolled to. */
const BEYOND = 8;
const TYPING_MS = 700;

/**
 * The elements of the page as a tree. Only rows on screen exist; the tree has the focus for all of them. All rows are equally high, so
 * which ones are on screen is a division; TanStack Virtual would do it for 9 KB by Brotli, React Aria's tree for 46 KB.
 */
export function Layers({ board, sync, page, editable }: LayersProps) {
  const tree = useLayerTree(sync, page.id);
  const isShown = useBoardState(board).documents.includes(page.id);
  const { node, hovered } = useSelection();
  const flashes = useFlashes();
  const renamed = useSyncExternalStore(renaming.subscribe, renaming.get);
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const [room, setRoom] = useState({ top: 0, height: 600 });
  const drag = useLayerDrag({ sync, tree, body: page.id, list, rowHeight: ROW_HEIGHT });
  const id = useId();
  const rows = tree.rows();
  const selected = node?.body === page.id ? node.node : undefined;

  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setRoom({ top: element.scrollTop, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = list.current;
    const row = selected === undefined ? undefined : tree.reveal(selected);
    if (element === null || row === undefined) return;
    const top = tree.indexOf(row) * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top - ROW_HEIGHT;
    const below = top + 2 * ROW_HEIGHT - element.clientHeight;
    if (below > element.scrollTop) element.scrollTop = below;
  }, [tree, selected]);

  const go = (to: string | undefined) => to !== undefined && select({ body: page.id, node: to });

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = rowForKey(tree, selected, event.key);
    if (to !== undefined) {
      event.preventDefault();
      if (to !== "stay") go(to);
    } else if (event.key.length === 1 && event.key !== " " && event.key !== "?") {
      event.preventDefault();
      const now = event.timeStamp;
      const text = now - typed.current.at < TYPING_MS ? typed.current.text + event.key : event.key;
      typed.current = { text, at: now };
      go(rowForText(tree, selected, text));
    }
  }

  const first = Math.max(0, Math.floor(room.top / ROW_HEIGHT) - BEYOND);
  const shown = rows.slice(first, Math.ceil((room.top + room.height) / ROW_HEIGHT) + BEYOND);
  if (rows.length === 0) {
    if (!isShown) return <LoadingRows />;
    return (
      <Empty
        icon="page"
        title={words.editor.noLayers}
        action={
          editable && (
            <Button icon="plus" onClick={() => actions.run("element.insert")}>
              {words.insert.firstSection}
            </Button>
          )
        }
      >
        {words.editor.noLayersHint}
      </Empty>
    );
  }
  return (
    <div
      ref={list}
      className={styles.list}
      role="tree"
      aria-label={words.editor.layers}
      tabIndex={0}
      data-zone="elements"
      aria-activedescendant={selected !== undefined && tree.indexOf(selected) >= 0 ? `${id}-${selected}` : undefined}
      onKeyDown={onKeyDown}
      onFocus={(event) => event.target === list.current && selected === undefined && go(rows[0]?.id)}
      onScroll={({ currentTarget }) => setRoom({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      onPointerLeave={() => hover(undefined)}
    >
      <div role="presentation" className={styles.rows} style={{ height: rows.length * ROW_HEIGHT }}>
        {shown.map((row, index) => {
          const layer = tree.layer(row.id);
          if (layer === undefined) return null;
          return (
            <LayerRow
              key={row.id}
              id={`${id}-${row.id}`}
              row={row}
              layer={layer}
              top={(first + index) * ROW_HEIGHT}
              isOpen={tree.isOpen(row.id)}
              isSelected={row.id === selected}
              isHovered={hovered?.node === row.id}
              drop={drag.target?.id === row.id ? drag.target.side : undefined}
              flash={flashes.find(({ place }) => place.node === row.id)?.who}
              rename={
                renamed === row.id
                  ? {
                      save: (name) =>
                        put(
                          sync,
                          { body: page.id, node: row.id },
                          "label",
                          name || null,
                          words.editor.summaries.rename(layer.name),
                        ),
                      leave: () => {
                        renaming.set(undefined);
                        list.current?.focus({ preventScroll: true });
                      },
                    }
                  : undefined
              }
              onToggle={() => tree.toggle(row.id, !tree.isOpen(row.id))}
              onPointerDown={(event) => {
                go(row.id);
                if (editable && event.pointerType !== "touch") drag.begin(event, row.id);
              }}
              onGrip={editable ? (event) => event.pointerType === "touch" && drag.begin(event, row.id) : undefined}
              onEnter={() => hover({ body: page.id, node: row.id })}
              onEdit={() => actions.run("element.editText")}
              onMenu={(event) => {
                event.preventDefault();
                elementMenu.set({ x: event.clientX, y: event.clientY });
              }}
            />
          );
        })}
      </div>
    </div>
  );
}
