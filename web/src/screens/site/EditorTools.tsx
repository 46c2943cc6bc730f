import { useState } from "react";
import { words } from "../../glossary";
import { Button, IconButton } from "../../parts/button/Button";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import styles from "./EditorTools.module.css";
import { HistoryDrawer } from "./history/HistoryDrawer";
import { LookDialog } from "./look/LookDialog";
import { PresenceBar } from "./PresenceBar";
import { PreviewDialog } from "./PreviewDialog";
import { PageSettings } from "./settings/PageSettings";
import { SiteSettings } from "./settings/SiteSettings";
import { useActions } from "./use-actions";

type Open = "page" | "site" | "look" | "history" | "preview";

interface EditorToolsProps {
  sync: Sync;
  page: PageEntry;
  pages: readonly PageEntry[];
  editable: boolean;
}

/** Who is here, and the ways to settings, history and preview. */
export function EditorTools({ sync, page, pages, editable }: EditorToolsProps) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  useActions(() => {
    const all = [
      { id: "page.settings", label: words.pageSettings.open, group: "page", icon: "page", open: "page" },
      { id: "page.preview", label: words.preview.open, group: "page", icon: "eye", open: "preview" },
      { id: "site.settings", label: words.siteSettings.title, group: "site", icon: "settings", open: "site" },
      { id: "site.look", label: words.look.title, group: "site", icon: "palette", open: "look" },
      { id: "site.history", label: words.history.open, group: "site", icon: "clock", open: "history" },
    ] as const;
    const mine = editable ? all : all.filter((action) => action.open === "history");
    return mine.map(({ open, ...action }) => ({ ...action, run: () => setOpen(open) }));
  }, [editable]);
  return (
    <div className={styles.tools}>
      <PresenceBar page={page} pages={pages} />
      {editable && (
        <>
          <IconButton label={words.pageSettings.open} icon="page" onClick={() => setOpen("page")} />
          <IconButton label={words.look.title} icon="palette" onClick={() => setOpen("look")} />
          <IconButton label={words.siteSettings.title} icon="settings" onClick={() => setOpen("site")} />
        </>
      )}
      <IconButton label={words.history.open} icon="clock" onClick={() => setOpen("history")} />
      {editable && (
        <Button icon="eye" data-tour="preview" onClick={() => setOpen("preview")}>
          {words.preview.open}
        </Button>
      )}
      {open === "page" && <PageSettings sync={sync} page={page} onClose={close} />}
      {open === "site" && <SiteSettings sync={sync} onClose={close} />}
      {open === "look" && <LookDialog sync={sync} onClose={close} />}
      {open === "history" && <HistoryDrawer sync={sync} editable={editable} onClose={close} />}
      {open === "preview" && <PreviewDialog sync={sync} page={page} onClose={close} />}
    </div>
  );
}
