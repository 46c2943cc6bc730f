// The page in all frames of the canvas: rendered once, shown in each, and brought up to date by parts where parts will do.
import { type ApiError, asApiError } from "../api/problem";
import type { Entity, TextPlace } from "../site/model";
import type { Sync } from "../site/sync";
import { createStore, type Store } from "../state/store";
import type { Canvas } from "./canvas";
import type { ColorScheme } from "./color-scheme";
import { findOutlet, type OutletPlace } from "./outlet-mark";
import { type Part, planPatch } from "./patch-plan";

export interface BoardState {
  problems: readonly string[];
  failure?: ApiError;
  /** The page, its templates and the components on it, as they were last rendered. */
  documents: readonly string[];
  /** The colour scheme that was chosen for the frames; without one it is the browser's. */
  scheme?: ColorScheme;
}

export interface Board extends Pick<Store<BoardState>, "get" | "subscribe"> {
  show(page: string): void;
  /** Adds a frame, under the breakpoint it is for. */
  attach(breakpoint: string, canvas: Canvas): () => void;
  canvas(breakpoint: string | undefined): Canvas | undefined;
  canvases(): readonly Canvas[];
  /** The document of a node that the page shows. */
  bodyOf(node: string): string | undefined;
  /** Shows in the other frames what is being written in one. */
  mirror(from: Canvas, place: TextPlace, text: string): void;
  retry(): void;
  setScheme(scheme: ColorScheme | undefined): void;
  /** Ends when everything that happened is shown. */
  settled(): Promise<void>;
  flush(): void;
  dispose(): void;
}

/** The other frames wait for a pause between keys, so that a key costs one frame and not all. */
const MIRROR_MS = 100;

/** What is to be brought up to date: nothing, some entities, or the whole page. */
type Stale = readonly Entity[] | "all";

export function createBoard(sync: Sync): Board {
  const store = createStore<BoardState>({ problems: [], documents: [] });
  const canvases = new Map<string, Canvas>();
  let page: string | undefined;
  let stale: Stale = [];
  let working: Promise<void> | undefined;
  let mirroring: ReturnType<typeof setTimeout> | undefined;
  const leave = sync.onTouched((touched) => spoil(touched ?? "all"));

  function spoil(what: Stale) {
    stale = what === "all" || stale === "all" ? "all" : [...stale, ...what];
    working ??= nextFrame().then(work);
  }

  /** Brings up to date until nothing happens meanwhile. */
  async function work(): Promise<void> {
    while (stale.length > 0 && page !== undefined && canvases.size > 0) {
      const what = stale;
      stale = [];
      if (what === "all" || !patch(page, what)) await showAll(page);
    }
    stale = [];
    working = undefined;
  }

  async function showAll(wanted: string): Promise<void> {
    try {
      const { html, problems, documents } = await sync.render(wanted);
      if (page !== wanted) return;
      const outlet = outletOf(wanted);
      for (const canvas of canvases.values()) canvas.show(wanted, html, outlet);
      store.set({ problems, documents, scheme: store.get().scheme });
    } catch (error) {
      if (page === wanted) store.set({ ...store.get(), failure: asApiError(error) });
    }
  }

  function outletOf(wanted: string): OutletPlace | undefined {
    const copy = sync.copy();
    const isTemplate = copy.pages().some(({ id, isTemplate }) => id === wanted && isTemplate);
    return isTemplate ? findOutlet(copy, wanted) : undefined;
  }

  function patch(shown: string, touched: readonly Entity[]): boolean {
    const parts = planPatch(sync.copy(), shown, store.get().documents, touched);
    return parts?.every((part) => patchPart(shown, part)) === true;
  }

  function patchPart(body: string, { node, kind, parent }: Part): boolean {
    const html = rendered(body, node);
    if (html === undefined) return false;
    const write = (canvas: Canvas) =>
      kind === "element" ? canvas.patchElement(node, html) : canvas.patchText(parent, { body, node }, html);
    if ([...canvases.values()].every(write)) return true;
    // A text that came or went is told by its element.
    const around = kind === "text" ? rendered(body, parent) : undefined;
    return around !== undefined && [...canvases.values()].every((canvas) => canvas.patchElement(parent, around));
  }

  function rendered(body: string, node: string): string | undefined {
    const outcome = sync.copy().renderNode(body, node);
    return "done" in outcome && outcome.done.problems.length === 0 ? outcome.done.html : undefined;
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    show(wanted) {
      if (wanted === page) return;
      page = wanted;
      spoil("all");
    },
    attach(breakpoint, canvas) {
      canvases.set(breakpoint, canvas);
      canvas.setScheme(store.get().scheme);
      spoil("all");
      return () => {
        canvas.dispose();
        if (canvases.get(breakpoint) === canvas) canvases.delete(breakpoint);
      };
    },
    canvas: (breakpoint) => (breakpoint === undefined ? undefined : canvases.get(breakpoint)),
    canvases: () => [...canvases.values()],
    bodyOf(node) {
      const { documents } = store.get();
      // The page itself is the innermost and the likeliest.
      const bodies = page === undefined ? documents : [page, ...documents];
      return bodies.find((body) => sync.copy().node(body, node) !== undefined);
    },
    mirror(from, place, text) {
      clearTimeout(mirroring);
      mirroring = setTimeout(() => {
        const parent = sync.copy().node(place.body, place.node)?.path.at(-1)?.id;
        if (parent === undefined) return;
        for (const canvas of canvases.values()) if (canvas !== from) canvas.mirror(parent, place, text);
      }, MIRROR_MS);
    },
    retry: () => spoil("all"),
    setScheme(scheme) {
      store.set({ ...store.get(), scheme });
      for (const canvas of canvases.values()) canvas.setScheme(scheme);
    },
    async settled() {
      while (working !== undefined) await working;
    },
    flush() {
      for (const canvas of canvases.values()) canvas.flush();
    },
    dispose() {
      leave();
      clearTimeout(mirroring);
      for (const canvas of canvases.values()) canvas.dispose();
      canvases.clear();
    },
  };
}

/** The next time the screen is drawn; a hidden tab draws nothing, so it does not wait for that alone. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      resolve();
    };
    const frame = requestAnimationFrame(done);
    const timer = setTimeout(done, 100);
  });
}
