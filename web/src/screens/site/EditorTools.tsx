import { useState } from "react";
import { words } from "../../glossary";
import { useMedia } from "../../hooks/use-media";
import { Button, IconButton } from "../../parts/button/Button";
import { Icon } from "../../parts/icon/Icon";
import { Menu, MenuItem } from "../../parts/menu/Menu";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import styles from "./EditorTools.module.css";
import { HistoryDrawer } from "./history/HistoryDrawer";
import { PresenceBar } from "./PresenceBar";
import { PreviewDialog } from "./PreviewDialog";
import { PageSettings } from "./settings/PageSettings";
import { SiteSettings } from "./settings/SiteSettings";
import { useActions } from "./use-actions";

type Open = (typeof TOOLS)[number]["open"];

interface EditorToolsProps {
  sync: Sync;
  page: PageEntry;
  pages: readonly PageEntry[];
  editable: boolean;
  openDesign(): void;
}

const TOOLS = [
  { open: "page", id: "page.settings", label: words.pageSettings.open, group: "page", icon: "page" },
  { open: "design", id: "site.design", label: words.design.tab, group: "site", icon: "palette" },
  { open: "site", id: "site.settings", label: words.siteSettings.title, group: "site", icon: "settings" },
  { open: "history", id: "site.history", label: words.history.open, group: "site", icon: "clock" },
  { open: "preview", id: "page.preview", label: words.preview.open, group: "page", icon: "eye" },
] as const;

/** For those who may look and not change. */
const LOOKING = TOOLS.filter((tool) => tool.open === "history");

/** Who is here, and the ways to settings, history and preview. */
export function EditorTools({ sync, page, pages, editable, openDesign }: EditorToolsProps) {
  const [open, setOpened] = useState<Open>();
  // The design is beside the canvas, and nothing lies over it.
  const setOpen = (tool: Open | undefined) => (tool === "design" ? openDesign() : setOpened(tool));
  const isNarrow = useMedia("(max-width: 52rem)");
  const close = () => setOpen(undefined);
  const tools = editable ? TOOLS : LOOKING;
  useActions(() => tools.map(({ open, ...action }) => ({ ...action, run: () => setOpen(open) })), [tools, openDesign]);
  return (
    <div className={styles.tools}>
      {!isNarrow && <PresenceBar page={page} pages={pages} />}
      {isNarrow ? (
        <Menu
          label={words.editorTools}
          look="icon"
          trigger={<Icon name="more" />}
          header={<PresenceBar page={page} pages={pages} />}
        >
          {tools.map(({ open, icon, label }) => (
            <MenuItem key={open} icon={icon} onSelect={() => setOpen(open)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      ) : (
        tools.map(({ open, icon, label }) =>
          open === "preview" ? (
            <Button key={open} icon={icon} data-tour="preview" onClick={() => setOpen(open)}>
              {label}
            </Button>
          ) : (
            <IconButton key={open} label={label} icon={icon} onClick={() => setOpen(open)} />
          ),
        )
      )}
      {open === "page" && <PageSettings sync={sync} page={page} onClose={close} />}
      {open === "site" && <SiteSettings sync={sync} onClose={close} />}
      {open === "history" && <HistoryDrawer sync={sync} editable={editable} onClose={close} />}
      {open === "preview" && <PreviewDialog sync={sync} page={page} onClose={close} />}
    </div>
  );
}
