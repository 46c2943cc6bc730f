import { useCallback } from "react";
import { actions } from "../../app-state";
import { words } from "../../glossary";
import { useMedia } from "../../hooks/use-media";
import { Badge } from "../../parts/badge/Badge";
import { Button, IconButton } from "../../parts/button/Button";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import { PublishButton } from "../publish/PublishButton";
import { EditorTools } from "./EditorTools";
import type { PanelState } from "./panels";
import { SaveState } from "./SaveState";
import styles from "./Site.module.css";
import type { SetPanels } from "./use-panels";
import { useSyncState } from "./use-sync";

interface EditorBarProps {
  sync: Sync;
  page: PageEntry;
  pages: readonly PageEntry[];
  editable: boolean;
  panels: PanelState;
  setPanels: SetPanels;
}

/** The page, whether it is safe, and what is done with the site as a whole. */
export function EditorBar({ sync, page, pages, editable, panels, setPanels }: EditorBarProps) {
  const { waiting } = useSyncState(sync);
  const openDesign = useCallback(() => setPanels({ right: true, rightTab: "design" }), [setPanels]);
  return (
    <header className={styles.bar}>
      <div className={styles.name}>
        <IconButton
          label={words.editor.actions.toggleLeft}
          icon="panelLeft"
          aria-pressed={panels.left}
          onClick={() => setPanels({ left: !panels.left })}
        />
        <h2 id="page-title">{page.title}</h2>
        {page.isTemplate ? <Badge>{words.editor.template}</Badge> : <code>{page.permalink}</code>}
      </div>
      <div className={styles.state}>
        <SaveState sync={sync} editable={editable} />
        {editable && <InsertButton />}
        <IconButton label={words.editor.actions.palette} icon="search" onClick={() => actions.run("view.palette")} />
        <IconButton
          label={words.editor.actions.toggleRight}
          icon="panelRight"
          aria-pressed={panels.right}
          onClick={() => setPanels({ right: !panels.right })}
        />
        <EditorTools sync={sync} page={page} pages={pages} editable={editable} openDesign={openDesign} />
        <PublishButton unsaved={waiting} />
      </div>
    </header>
  );
}

/** With little room it is its icon alone, so that publishing stays in sight. */
function InsertButton() {
  const isNarrow = useMedia("(max-width: 52rem)");
  const open = () => actions.run("element.insert");
  return isNarrow ? (
    <IconButton label={words.insert.open} icon="plus" data-tour="insert" onClick={open} />
  ) : (
    <Button icon="plus" title={words.insert.hint} data-tour="insert" onClick={open}>
      {words.insert.open}
    </Button>
  );
}
