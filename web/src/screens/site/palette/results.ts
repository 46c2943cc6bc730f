// What the palette finds: actions that can be done now, pages, and elements of the page.
import { words } from "../../../glossary";
import type { IconName } from "../../../parts/icon/Icon";
import type { Layer, PageEntry } from "../../../site/model";
import type { SiteCopy } from "../../../site/site-copy";
import { type Action, isAvailable, labelOf } from "../../../state/actions";
import { layerName } from "../layer-words";
import { best, type Candidate } from "./fuzzy";

export interface Found extends Candidate {
  key: string;
  group: string;
  icon?: IconName;
  detail?: string;
  keys?: string;
  run(): void;
}

export interface Finds {
  actions: readonly Action[];
  pages: readonly PageEntry[];
  layers: readonly Layer[];
  openPage(id: string): void;
  pick(layer: Layer): void;
}

const AT_MOST = { actions: 60, pages: 12, layers: 12 };
/** More elements than a person would look through are left out, so that opening costs a blink at most. */
const LAYERS_MAX = 5000;

export function found(wanted: string, { actions, pages, layers, openPage, pick }: Finds): Found[] {
  const doable = actions.filter(isAvailable).map(
    (action): Found => ({
      key: action.id,
      group: words.editor.groups[action.group],
      name: labelOf(action),
      words: action.keywords,
      icon: action.icon,
      keys: action.keys?.[0],
      run: () => void action.run(),
    }),
  );
  const places = pages.map(
    ({ id, title, permalink, isTemplate }): Found => ({
      key: `page ${id}`,
      group: words.editor.palettePages,
      name: title,
      words: permalink,
      detail: isTemplate ? words.site.templates : permalink,
      icon: "page",
      run: () => openPage(id),
    }),
  );
  const elements =
    wanted.trim() === ""
      ? []
      : layers.map(
          (layer): Found => ({
            key: `layer ${layer.id}`,
            group: words.editor.paletteLayers,
            name: layerName(layer),
            words: layer.detail ?? undefined,
            detail: layer.detail ?? undefined,
            icon: "box",
            run: () => pick(layer),
          }),
        );
  return [
    ...best(wanted, doable, AT_MOST.actions),
    ...best(wanted, places, AT_MOST.pages),
    ...best(wanted, elements, AT_MOST.layers),
  ];
}

/** The elements of a document, outermost first. */
export function allLayers(copy: Pick<SiteCopy, "isOpen" | "layers">, body: string): Layer[] {
  const all = copy.isOpen(body) ? copy.layers(body) : [];
  for (let at = 0; at < all.length && all.length < LAYERS_MAX; at++) {
    const layer = all[at];
    if (layer?.hasLayers) all.push(...copy.layers(body, layer.id));
  }
  return all;
}
