import { useEffect, useRef } from "react";
import { words } from "../../glossary";
import { useMedia } from "../../hooks/use-media";
import { useSession } from "../../hooks/use-session";
import { TabPanels } from "../../parts/tabs/TabPanels";
import type { PageEntry } from "../../site/model";
import { lookAtPage } from "../../site/selection";
import type { Sync } from "../../site/sync";
import { Tour } from "../tour/Tour";
import { nameOfAuthor } from "./authors";
import { BoardView } from "./BoardView";
import { DesignPanel } from "./design/DesignPanel";
import { EditorBar } from "./EditorBar";
import { ElementMenu } from "./ElementMenu";
import { highlightChange } from "./flashes";
import { Inspector } from "./Inspector";
import { InsertPanel } from "./insert/InsertPanel";
import { useInsert } from "./insert/use-insert";
import { Layers } from "./layers/Layers";
import { PathBar } from "./PathBar";
import { PageDialogs } from "./pages/PageDialogs";
import { PageList } from "./pages/PageList";
import styles from "./Site.module.css";
import { SyncProblems } from "./SyncProblems";
import { useShortcuts } from "./use-actions";
import { useBoard } from "./use-board";
import { useEditorActions } from "./use-editor-actions";
import { usePanels } from "./use-panels";

interface EditorProps {
  sync: Sync;
  pages: readonly PageEntry[];
  page: PageEntry;
  editable: boolean;
}

/** The parts of the editor around one page. */
export function Editor({ sync, pages, page, editable }: EditorProps) {
  const isNarrow = useMedia("(max-width: 52rem)");
  const editor = useRef<HTMLDivElement>(null);
  const [panels, setPanels] = usePanels(editor, isNarrow);
  const board = useBoard(sync);
  useShortcuts();
  useOthers(sync);
  const overlays = useEditorActions({ sync, pages, page, editable, board, setPanels });
  const insertHost = useInsert({ sync, board, page: page.id, editable, setPanels });

  useEffect(() => {
    lookAtPage(page.id);
    return () => lookAtPage(undefined);
  }, [page.id]);

  return (
    <div ref={editor} className={styles.editor}>
      <EditorBar {...{ sync, page, pages, editable, panels, setPanels }} />
      {panels.left && (
        <div className={styles.left} data-panel="left" data-tab={panels.tab}>
          <TabPanels
            label={words.editor.left}
            current={panels.tab}
            onChange={(tab) => setPanels({ tab })}
            panels={[
              {
                key: "pages",
                label: words.editor.tabs.pages,
                content: <PageList sync={sync} pages={pages} current={page.id} editable={editable} />,
              },
              {
                key: "layers",
                label: words.editor.tabs.layers,
                content: board && <Layers key={page.id} {...{ board, sync, page, editable }} />,
              },
              ...(insertHost === undefined
                ? []
                : [
                    {
                      key: "insert" as const,
                      label: words.insert.tab,
                      content: (
                        <InsertPanel
                          key={page.id}
                          host={insertHost}
                          onInserted={() => isNarrow && setPanels({ left: false })}
                        />
                      ),
                    },
                  ]),
            ]}
          />
        </div>
      )}
      <section className={styles.work} aria-labelledby="page-title" data-tour="text">
        <SyncProblems sync={sync} />
        {board !== undefined && <BoardView {...{ board, sync, page, editable, isNarrow }} />}
        <PathBar sync={sync} page={page} pages={pages} editable={editable} />
      </section>
      {panels.right && (
        <aside className={styles.right} aria-label={words.design.right}>
          <TabPanels
            label={words.design.right}
            current={editable ? panels.rightTab : "element"}
            onChange={(rightTab) => setPanels({ rightTab })}
            panels={[
              {
                key: "element",
                label: words.design.element,
                content: <Inspector sync={sync} page={page} editable={editable} />,
              },
              ...(editable
                ? [
                    {
                      key: "design",
                      label: words.design.tab,
                      content: <DesignPanel sync={sync} page={page.id} />,
                    } as const,
                  ]
                : []),
            ]}
          />
        </aside>
      )}
      <ElementMenu />
      <PageDialogs sync={sync} current={page} />
      {overlays}
      <Tour />
    </div>
  );
}

/** Points out what others change, with their name. */
function useOthers(sync: Sync) {
  const { user } = useSession();
  const viewer = user?.id ?? "";
  useEffect(() => sync.onEntry((entry) => highlightChange(entry, nameOfAuthor(entry.author, viewer))), [sync, viewer]);
}
