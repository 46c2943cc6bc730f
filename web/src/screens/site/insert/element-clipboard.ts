// Copying, cutting and pasting elements. The browser's own events are used, because they work on plain http and ask for no permission;
// the keys are therefore the browser's too.
import { readField } from "../../../api/read-field";
import { notices } from "../../../app-state";
import { words } from "../../../glossary";
import { clipboardTexts, pastedHtml, rulesFor } from "../../../site/clipboard";
import { type NodeView, newChangeId } from "../../../site/model";
import { type NodePlace, selection } from "../../../site/selection";
import type { Action } from "../../../state/actions";
import { createStore, type Store } from "../../../state/store";
import { reportErrors } from "../element-actions";
import { currentTarget, type InsertHost, insertHtml } from "./insertion";

export interface ElementClipboard {
  onEvent(event: ClipboardEvent): void;
  actions: readonly Action[];
}

/** The clipboard of the page on screen, for the frames it is shown in. */
export const openClipboard: Store<ElementClipboard | undefined> = createStore<ElementClipboard | undefined>(undefined);

interface Copied {
  place: NodePlace;
  view: NodeView;
}

const texts = words.insert;

export function createElementClipboard(host: InsertHost, editable: boolean): ElementClipboard {
  const { sync, board, page } = host;
  const parse = (html: string): Document => {
    const view = board.canvases()[0]?.document.defaultView as (Window & typeof globalThis) | null | undefined;
    return new (view?.DOMParser ?? DOMParser)().parseFromString(html, "text/html");
  };

  function copied(): Copied | undefined {
    const place = selection.get().node;
    const view = place && sync.copy().node(place.body, place.node);
    return place && view?.place ? { place, view } : undefined;
  }

  /** Puts what is selected on the clipboard; false when there is nothing. */
  function copy(data: DataTransfer): Copied | undefined {
    const found = copied();
    const html = found && htmlOf(found.place);
    if (found === undefined || html === undefined) return undefined;
    const shown = board.canvas(selection.get().breakpoint)?.elementOf(found.place.node);
    const written = clipboardTexts(html, shown === undefined ? "" : rulesFor(shown), window.location.origin, parse);
    data.setData("text/html", written.html);
    data.setData("text/plain", written.text);
    return found;
  }

  function htmlOf({ node }: NodePlace): string | undefined {
    const run = sync.copy().runTool("getNodeHtml", { input: { nodeId: node }, change: newChangeId() });
    const html = "done" in run ? readField(run.done.data, "html") : undefined;
    return typeof html === "string" ? html : undefined;
  }

  async function cut({ place, view }: Copied): Promise<void> {
    await sync.run(
      "deleteNode",
      { nodeId: place.node },
      { summary: texts.summaries.cut(view.name), view: { current: page } },
    );
  }

  async function paste(data: DataTransfer): Promise<void> {
    const given = { html: data.getData("text/html"), text: data.getData("text/plain") };
    const pasted = pastedHtml(given, window.location.origin, parse);
    if (pasted === undefined) return;
    const [first] = parse(pasted.html).body.children;
    const kind = first !== undefined && /^(section|header|footer|main)$/.test(first.localName) ? "section" : "block";
    const target = currentTarget(host, kind, first?.localName ?? "p");
    if (target === undefined) return;
    const note = pasted.lostLook ? texts.lostLook : undefined;
    await insertHtml(host, target, { html: pasted.html, summary: texts.summaries.paste, braces: pasted.braces, note });
  }

  function onEvent(event: ClipboardEvent): void {
    const { clipboardData: data } = event;
    if (data === null || event.defaultPrevented) return;
    if (event.type === "paste") {
      if (!editable) return;
      event.preventDefault();
      void reportErrors(sync, () => paste(data));
      return;
    }
    const isCut = event.type === "cut";
    const isOwn = selection.get().node?.body === page;
    if (isCut && (!editable || !isOwn)) return;
    const done = copy(data);
    if (done === undefined) return;
    event.preventDefault();
    if (isCut) void reportErrors(sync, () => cut(done));
    else notices.show(texts.copied(done.view.name));
  }

  const action = (id: "copy" | "cut", icon: "copy" | "cut", keys: string): Action => ({
    id: `element.${id}`,
    group: "element",
    where: "elements",
    label: texts.actions[id],
    icon,
    keys: [keys],
    areKeysNative: true,
    isAvailable: () => copied() !== undefined && (id === "copy" || (editable && copied()?.place.body === page)),
    run: () => runCommand(id, onEvent),
  });
  return {
    onEvent,
    actions: [
      action("copy", "copy", "Mod+C"),
      action("cut", "cut", "Mod+X"),
      {
        id: "element.paste",
        group: "element",
        where: "elements",
        label: texts.actions.paste,
        icon: "paste",
        keys: ["Mod+V"],
        areKeysNative: true,
        isAvailable: () => editable,
        run: () => reportErrors(sync, () => pasteByCommand(onEvent)),
      },
    ],
  };
}

/**
 * Copies or cuts as the keys do. There is no other way to the clipboard on plain http, and browsers take it only where something is marked,
 * so that something is for a moment.
 */
function runCommand(command: "copy" | "cut", onEvent: (event: ClipboardEvent) => void): void {
  const before = document.activeElement;
  const marked = document.createElement("textarea");
  marked.className = "visually-hidden";
  marked.value = command;
  document.body.append(marked);
  marked.select();
  const listener = (event: ClipboardEvent) => {
    event.stopImmediatePropagation();
    onEvent(event);
  };
  document.addEventListener(command, listener, { capture: true });
  document.execCommand(command);
  document.removeEventListener(command, listener, { capture: true });
  marked.remove();
  if (before instanceof HTMLElement) before.focus();
}

/** Pages may read the clipboard only when the person allows it, and not on plain http; the keys always work. */
async function pasteByCommand(onEvent: (event: ClipboardEvent) => void): Promise<void> {
  const data = new DataTransfer();
  try {
    for (const item of await navigator.clipboard.read()) {
      for (const type of ["text/html", "text/plain"]) {
        if (item.types.includes(type)) data.setData(type, await (await item.getType(type)).text());
      }
    }
  } catch {
    notices.show(texts.actions.pasteKeys);
    return;
  }
  onEvent(new ClipboardEvent("paste", { clipboardData: data }));
}
