import { type ReactNode, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import type { Board } from "../../canvas/board";
import { words } from "../../glossary";
import type { PageEntry } from "../../site/model";
import { selection } from "../../site/selection";
import type { Sync } from "../../site/sync";
import type { Action } from "../../state/actions";
import { elementActions, reportErrors } from "./element-actions";
import { elementMenu } from "./element-menu";
import { renaming } from "./layers/renaming";
import { isHome } from "./pages/PageList";
import { makeHome } from "./pages/page-changes";
import { pageQuestion } from "./pages/page-question";
import { Palette } from "./palette/Palette";
import { Shortcuts } from "./palette/Shortcuts";
import { useActions } from "./use-actions";
import type { SetPanels } from "./use-panels";

interface EditorHost {
  sync: Sync;
  pages: readonly PageEntry[];
  page: PageEntry;
  editable: boolean;
  board: Board | undefined;
  setPanels: SetPanels;
}

const texts = words.editor.actions;

/** Registers what the editor itself can do, and gives what is open over it. */
export function useEditorActions({ sync, pages, page, editable, board, setPanels }: EditorHost): ReactNode {
  const [open, setOpen] = useState<"palette" | "shortcuts">();
  const [, navigate] = useLocation();
  const close = () => setOpen(undefined);

  useActions(
    () =>
      elementActions({
        sync,
        page: page.id,
        editable,
        editText: ({ node }) => board?.canvas(selection.get().breakpoint)?.edit(node) === true,
        askName: ({ node }) => {
          setPanels({ left: true, tab: "layers" });
          renaming.set(node);
        },
        openMenu: () => elementMenu.set(besideSelected()),
        openDocument: (id) => navigate(`/site/${id}`),
      }),
    [sync, page.id, editable, board, setPanels, navigate],
  );
  useActions(() => pageActions(sync, page, editable), [sync, page, editable]);
  useActions(
    () => [
      ...undoActions(sync, editable),
      ...panelActions(setPanels),
      {
        id: "view.palette",
        group: "view",
        label: texts.palette,
        icon: "search",
        keys: ["Mod+K"],
        run: () => setOpen("palette"),
      },
      {
        id: "view.shortcuts",
        group: "view",
        label: texts.shortcuts,
        icon: "keyboard",
        keys: ["?"],
        run: () => setOpen("shortcuts"),
      },
    ],
    [sync, editable, setPanels],
  );
  return (
    <>
      {open === "palette" && <Palette sync={sync} page={page} pages={pages} onClose={close} />}
      {open === "shortcuts" && <Shortcuts onClose={close} />}
    </>
  );
}

function pageActions(sync: Sync, page: PageEntry, editable: boolean): Action[] {
  const action = (id: string, part: Omit<Action, "id" | "group">): Action => ({
    ...part,
    id: `page.${id}`,
    group: "page",
    isAvailable: () => editable && (part.isAvailable?.() ?? true),
  });
  return [
    action("add", { label: texts.addPage, icon: "plus", run: () => pageQuestion.set({ kind: "add" }) }),
    action("import", {
      label: words.pageImport.action,
      icon: "import",
      run: () => pageQuestion.set({ kind: "import" }),
    }),
    action("rename", {
      label: texts.renamePage,
      icon: "pencil",
      run: () => pageQuestion.set({ kind: "rename", page }),
    }),
    action("duplicate", {
      label: texts.duplicatePage,
      icon: "copy",
      run: () => pageQuestion.set({ kind: "duplicate", page }),
    }),
    action("makeHome", {
      label: texts.makeHome,
      icon: "home",
      isAvailable: () => !page.isTemplate && !isHome(page),
      run: () => reportErrors(sync, () => makeHome(sync, page)),
    }),
    action("delete", {
      label: texts.deletePage,
      icon: "trash",
      isDanger: true,
      run: () => pageQuestion.set({ kind: "delete", page }),
    }),
  ];
}

function undoActions(sync: Sync, editable: boolean): Action[] {
  return [
    {
      id: "site.undo",
      group: "site",
      label: texts.undo,
      icon: "undo",
      keys: ["Mod+Z"],
      isAvailable: () => editable && sync.get().canUndo,
      run: sync.undo,
    },
    {
      id: "site.redo",
      group: "site",
      label: texts.redo,
      icon: "redo",
      keys: ["Mod+Shift+Z", "Mod+Y"],
      isAvailable: () => editable && sync.get().canRedo,
      run: sync.redo,
    },
  ];
}

function panelActions(setPanels: SetPanels): Action[] {
  const action = (id: string, part: Omit<Action, "id" | "group">): Action => ({
    ...part,
    id: `view.${id}`,
    group: "view",
  });
  return [
    action("pages", {
      label: texts.showPages,
      keys: ["Alt+P"],
      run: () => {
        flushSync(() => setPanels({ left: true, tab: "pages" }));
        focusIn("[data-panel=left] [aria-current=page]");
      },
    }),
    action("layers", {
      label: texts.showLayers,
      keys: ["Alt+L"],
      run: () => {
        flushSync(() => setPanels({ left: true, tab: "layers" }));
        focusIn("[data-panel=left] [role=tree]");
      },
    }),
    action("left", {
      label: texts.toggleLeft,
      icon: "panelLeft",
      keys: ["Mod+B"],
      run: () => setPanels(({ left }) => ({ left: !left })),
    }),
    action("right", {
      label: texts.toggleRight,
      icon: "panelRight",
      keys: ["Mod+."],
      run: () => setPanels(({ right }) => ({ right: !right })),
    }),
  ];
}

/** Moves the focus into a panel, or to its tab while there is nothing in it. */
function focusIn(selector: string) {
  const wanted = document.querySelector<HTMLElement>(selector);
  (wanted ?? document.querySelector<HTMLElement>("[data-panel=left] [role=tab][aria-selected=true]"))?.focus();
}

/** Under the row or the outline of what is selected, for those who ask with the keyboard. */
function besideSelected() {
  const inTree = document.activeElement?.closest("[role=tree]")?.querySelector("[aria-selected=true]");
  const shown = inTree ?? document.querySelector("[data-active=true] [data-look=selected]");
  const box = shown?.getBoundingClientRect();
  return { x: (box?.left ?? 0) + 24, y: Math.min((box?.top ?? 0) + 28, window.innerHeight / 2) };
}
