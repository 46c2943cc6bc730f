// What can be done with the selected element. Each reads what is selected when it is done, so that the list need not be made anew.
import { readField } from "../../api/read-field";
import { words } from "../../glossary";
import type { Lock, NodeView, Op } from "../../site/model";
import { type NodePlace, revealSelected, select, selection } from "../../site/selection";
import type { Sync } from "../../site/sync";
import type { Action } from "../../state/actions";
import { reasonOf } from "./inspector/element";
import { lockWords } from "./layer-words";

export interface ElementHost {
  sync: Sync;
  page: string;
  editable: boolean;
  /** Begins to write in the element; false when it has no text of its own. */
  editText(place: NodePlace): boolean;
  /** Asks for a new name where the element is listed. */
  askName(place: NodePlace): void;
  openMenu(): void;
  openDocument(id: string): void;
}

interface Picked {
  place: NodePlace;
  view: NodeView;
}

const texts = words.editor.actions;
const summaries = words.editor.summaries;

export function elementActions(host: ElementHost): Action[] {
  const { sync } = host;
  const picked = (): Picked | undefined => {
    const place = selection.get().node;
    const view = place && sync.copy().node(place.body, place.node);
    return place && view && { place, view };
  };
  /** Something of this page; what a template brings is changed in the template. */
  const own = (): Picked | undefined => {
    const found = host.editable ? picked() : undefined;
    return found?.place.body === host.page && found.view.place !== undefined ? found : undefined;
  };
  const action = (id: string, part: Omit<Action, "id" | "group">): Action => ({
    where: "elements",
    ...part,
    id: `element.${id}`,
    group: "element",
  });
  const onOwn = (run: (picked: Picked) => void | Promise<void>): Pick<Action, "isAvailable" | "run"> => ({
    isAvailable: () => own() !== undefined,
    run: () => {
      const found = own();
      return found && run(found);
    },
  });

  return [
    action("editText", {
      label: texts.editText,
      icon: "text",
      keys: ["Enter"],
      ...onOwn(({ place, view }) => {
        if (!host.editText(place)) selectChild(sync, { place, view });
      }),
    }),
    action("rename", {
      label: texts.rename,
      icon: "pencil",
      keys: ["F2"],
      ...onOwn(({ place }) => host.askName(place)),
    }),
    ...moves(sync, onOwn, own, action),
    action("duplicate", {
      label: texts.duplicate,
      icon: "copy",
      keys: ["Mod+D"],
      ...onOwn(({ place, view }) => duplicate(sync, place, view)),
    }),
    action("hide", {
      label: () => (own()?.view.hidden ? texts.show : texts.hide),
      icon: "eyeOff",
      keys: ["Mod+Shift+H"],
      keywords: texts.show,
      ...onOwn(({ place, view }) => {
        const summary = view.hidden ? summaries.show : summaries.hide;
        put(sync, place, "hidden", !view.hidden, summary(view.name));
      }),
    }),
    ...protections(sync, own, action),
    ...walks(sync, picked, action),
    action("openTemplate", {
      label: texts.openTemplate,
      icon: "page",
      isAvailable: () => {
        const body = picked()?.place.body;
        return (
          body !== host.page &&
          sync
            .copy()
            .pages()
            .some(({ id }) => id === body)
        );
      },
      run: () => {
        const found = picked();
        if (found) host.openDocument(found.place.body);
      },
    }),
    action("menu", {
      label: texts.elementMenu,
      icon: "more",
      keys: ["Shift+F10", "ContextMenu"],
      isNotInMenu: true,
      isAvailable: () => picked() !== undefined,
      run: host.openMenu,
    }),
    action("delete", {
      label: texts.delete,
      icon: "trash",
      keys: ["Delete", "Backspace"],
      isDanger: true,
      ...onOwn(({ place, view }) => remove(sync, place, view)),
    }),
  ];
}

type Make = (id: string, part: Omit<Action, "id" | "group">) => Action;
type OnOwn = (run: (picked: Picked) => void | Promise<void>) => Pick<Action, "isAvailable" | "run">;

function moves(sync: Sync, onOwn: OnOwn, own: () => Picked | undefined, action: Make): Action[] {
  const way = (
    id: string,
    at: 0 | 1,
    part: Pick<Action, "label" | "icon" | "keys">,
    summary: (what: string) => string,
  ) =>
    action(id, {
      ...part,
      ...onOwn(({ place, view }) => {
        const other = view.beside[at];
        if (other === null) return;
        sync.act(summary(view.name), swap(sync, place.body, ...sorted(at, view.id, other)));
        revealSelected();
      }),
      isAvailable: () => typeof own()?.view.beside[at] === "string",
    });
  return [
    way("moveUp", 0, { label: texts.moveUp, icon: "up", keys: ["Alt+ArrowUp"] }, summaries.moveUp),
    way("moveDown", 1, { label: texts.moveDown, icon: "down", keys: ["Alt+ArrowDown"] }, summaries.moveDown),
  ];
}

function sorted(at: 0 | 1, node: string, other: string): [first: string, second: string] {
  return at === 0 ? [other, node] : [node, other];
}

/** Two siblings in each other's place; the white space between them stays where it is. */
function swap(sync: Sync, body: string, first: string, second: string): Op[] {
  const [one, two] = [sync.copy().node(body, first)?.place, sync.copy().node(body, second)?.place];
  if (!one || !two) return [];
  const ops: Op[] = [{ op: "place", body, node: second, place: one }];
  if (two.after !== first) ops.push({ op: "place", body, node: first, place: two });
  return ops;
}

function protections(sync: Sync, own: () => Picked | undefined, action: Make): Action[] {
  const locks: readonly Lock[] = ["open", "text-only", "ask", "locked"];
  return locks.map((lock) =>
    action(`protect.${lock}`, {
      label: lockWords(lock),
      icon: "lock",
      keywords: words.inspector.protect,
      isAvailable: () => {
        const now = own()?.view.lock;
        return now !== undefined && now !== lock;
      },
      run: () => {
        const found = own();
        if (found) put(sync, found.place, "lock", lock, summaries.protect(found.view.name));
      },
    }),
  );
}

/** Ways from one element to another, for those who use no pointer. */
function walks(sync: Sync, picked: () => Picked | undefined, action: Make): Action[] {
  const walk = (id: string, label: string, keys: string[], to: (picked: Picked) => string | null | undefined) =>
    action(id, {
      label,
      keys,
      isNotInMenu: true,
      isAvailable: () => picked() !== undefined,
      run: () => {
        const found = picked();
        const node = found && to(found);
        if (found && typeof node === "string") select({ body: found.place.body, node });
      },
    });
  return [
    action("selectParent", {
      label: texts.selectParent,
      icon: "arrow",
      keys: ["Escape", "ArrowLeft"],
      isAvailable: () => picked() !== undefined,
      run: () => {
        const found = picked();
        const above = found?.view.path.slice(1).at(-1);
        select(found && above && { body: found.place.body, node: above.id });
      },
    }),
    walk("selectBefore", texts.selectBefore, ["ArrowUp"], ({ view }) => view.beside[0]),
    walk("selectAfter", texts.selectAfter, ["ArrowDown"], ({ view }) => view.beside[1]),
    walk("selectChild", texts.selectChild, ["ArrowRight"], ({ place, view }) =>
      view.hasLayers ? sync.copy().layers(place.body, place.node)[0]?.id : undefined,
    ),
  ];
}

function selectChild(sync: Sync, { place, view }: Picked): void {
  const child = view.hasLayers ? sync.copy().layers(place.body, place.node)[0] : undefined;
  if (child !== undefined) select({ body: place.body, node: child.id });
}

export function put(sync: Sync, place: NodePlace, field: string, value: unknown, summary: string): void {
  sync.act(summary, [{ op: "put", entity: { type: "node", ...place }, field, value }]);
}

async function duplicate(sync: Sync, place: NodePlace, view: NodeView): Promise<void> {
  await reportErrors(sync, async () => {
    const about = { summary: summaries.duplicate(view.name), view: { current: place.body } };
    const { data } = await sync.run("duplicateNode", { nodeId: place.node }, about);
    const made = readField(data, "nodeId");
    if (typeof made === "string") select({ body: place.body, node: made });
  });
}

/** What was beside it is selected then, so that the keyboard stays where it was. */
function remove(sync: Sync, place: NodePlace, view: NodeView): Promise<void> {
  return reportErrors(sync, async () => {
    const next = view.beside[1] ?? view.beside[0] ?? view.path.slice(1).at(-1)?.id;
    const about = { summary: summaries.delete(view.name), view: { current: place.body } };
    await sync.run("deleteNode", { nodeId: place.node }, about);
    select(next === undefined ? undefined : { body: place.body, node: next });
  });
}

/** Runs it, and says beside the canvas why it was refused. */
export async function reportErrors(sync: Sync, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    sync.report({ message: reasonOf(error), conflict: false });
  }
}
