import { useEffect, useSyncExternalStore } from "react";
import { words } from "../../../glossary";
import { useSelection } from "../../../hooks/use-selection";
import { Segments } from "../../../parts/segments/Segments";
import { reportErrors } from "../element-actions";
import type { Side, Target } from "../layers/drop";
import { useBoardState } from "../use-board";
import { useVersion } from "../use-sync";
import { BlockList } from "./BlockList";
import { ELEMENTS, LAYOUTS } from "./blocks";
import styles from "./InsertPanel.module.css";
import type { InsertKind } from "./insert-point";
import { type InsertPart, insertState, pointAt, updateInsert } from "./insert-state";
import { currentTarget, type InsertHost, insertHtml } from "./insertion";
import { nameOf } from "./marks";
import { SectionList } from "./SectionList";

interface InsertPanelProps {
  host: InsertHost;
  /** Called when something was inserted, so that a panel over the canvas can make way. */
  onInserted(): void;
}

export interface Choice {
  name: string;
  kind: InsertKind;
  html: string;
}

/** Puts a choice where the panel points, or where it was dropped. */
export type Insert = (choice: Choice, target?: Target) => Promise<void>;

const texts = words.insert;
const PARTS: readonly InsertPart[] = ["sections", "layouts", "elements"];
const SIDES: readonly Side[] = ["before", "inside", "after"];

/** What can be inserted by hand, and where it goes. */
export function InsertPanel({ host, onInserted }: InsertPanelProps) {
  const { part } = useSyncExternalStore(insertState.subscribe, insertState.get);

  useEffect(() => {
    updateInsert({ isOpen: true });
    return () => updateInsert({ isOpen: false, point: undefined });
  }, []);

  const insert: Insert = async ({ name, kind, html }, dropped) => {
    await reportErrors(host.sync, async () => {
      const target = dropped ?? currentTarget(host, kind);
      if (target === undefined) return;
      const headings = kind === "section" ? "oneMain" : "asWritten";
      await insertHtml(host, target, { html, headings, summary: texts.summaries.insert(name) });
      onInserted();
    });
  };

  return (
    <div className={styles.panel}>
      <Segments
        title={texts.parts.title}
        options={PARTS.map((value) => ({ value, label: texts.parts[value] }))}
        chosen={part}
        onChoose={(chosen) => updateInsert({ part: chosen })}
      />
      <Where host={host} kind={part === "sections" ? "section" : "block"} />
      {part === "sections" && <SectionList host={host} insert={insert} />}
      {part === "layouts" && <BlockList blocks={LAYOUTS} host={host} insert={insert} />}
      {part === "elements" && <BlockList blocks={ELEMENTS} host={host} insert={insert} />}
    </div>
  );
}

/** Names the place, and lets it be before, in or after what was pointed at. */
function Where({ host, kind }: { host: InsertHost; kind: InsertKind }) {
  useSelection();
  useVersion(host.sync);
  // The page is there once it is shown.
  useBoardState(host.board);
  const target = currentTarget(host, kind);
  if (target === undefined) return null;
  const view = host.sync.copy().node(host.page, target.id);
  const isPage = !view?.place;
  return (
    <div className={styles.where}>
      <p>{isPage ? texts.placedAtEnd : [texts.placed[target.side], " ", <strong key="name">{nameOf(view)}</strong>]}</p>
      {!isPage && (
        <Segments
          title={texts.where}
          options={SIDES.map((value) => ({ value, label: texts.sides[value] }))}
          chosen={target.side}
          onChoose={(side) => pointAt({ id: target.id, side })}
        />
      )}
    </div>
  );
}
