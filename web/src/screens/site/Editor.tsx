import { words } from "../../glossary";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import { CanvasFrame } from "./CanvasFrame";
import { EditorTools } from "./EditorTools";
import { Inspector } from "./Inspector";
import { PageList } from "./PageList";
import { SaveState } from "./SaveState";
import styles from "./Site.module.css";
import { Troubles } from "./Troubles";
import { useShortcuts } from "./use-actions";

interface EditorProps {
  sync: Sync;
  pages: readonly PageEntry[];
  page: PageEntry;
  editable: boolean;
}

/** The parts of the editor around one page. */
export function Editor({ sync, pages, page, editable }: EditorProps) {
  useShortcuts();
  return (
    <>
      <header className={styles.bar}>
        <div className={styles.name}>
          <h2 id="page-title">{page.title}</h2>
          <code>{page.permalink}</code>
        </div>
        <SaveState sync={sync} editable={editable} />
        <EditorTools sync={sync} page={page} pages={pages} editable={editable} />
      </header>
      <div className={styles.left}>
        <PageList pages={pages} current={page.id} />
      </div>
      <section className={styles.work} aria-labelledby="page-title">
        <Troubles sync={sync} />
        <CanvasFrame sync={sync} page={page} editable={editable} />
        <p className={styles.hint}>{editable ? words.site.hint : words.site.readOnly}</p>
      </section>
      <aside className={styles.right} aria-label={words.site.inspector}>
        <Inspector sync={sync} page={page} editable={editable} />
      </aside>
    </>
  );
}
