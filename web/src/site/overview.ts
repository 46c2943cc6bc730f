// The site at a glance: its pages, and its home page as HTML. Rendered in the core, like the canvas, without opening the editor.
import { siteApi } from "../app-state";
import { loadCore } from "./core-loader";
import type { PageEntry } from "./model";
import { type World, withNeeds } from "./needs";
import { openCopy, type SiteCopy } from "./site-copy";

export interface OverviewPage extends PageEntry {
  isDraft: boolean;
}

export interface SiteOverview {
  /** Without templates, in their order. */
  pages: OverviewPage[];
  /** The home page, else the first. */
  home?: OverviewPage;
  /** What the home page's draft looks like. */
  html?: string;
}

export async function loadOverview(): Promise<SiteOverview> {
  const copy = await loadCopy();
  try {
    const pages = pagesOf(copy);
    const home = pages.find(({ permalink }) => permalink === "/") ?? pages[0];
    if (home === undefined) return { pages };
    // A page that cannot be rendered still has its place in the list.
    const html = await renderDraft(copy, home.id).catch(() => undefined);
    return { pages, home, html };
  } finally {
    copy.free();
  }
}

/** The pages alone. */
export async function loadPages(): Promise<OverviewPage[]> {
  const copy = await loadCopy();
  try {
    return pagesOf(copy);
  } finally {
    copy.free();
  }
}

async function loadCopy(): Promise<SiteCopy> {
  const [core, { shell, seq }] = await Promise.all([loadCore(), siteApi.shell()]);
  return openCopy(core, shell, seq);
}

function pagesOf(copy: SiteCopy): OverviewPage[] {
  return copy.pages().flatMap((page) => {
    const draft = copy.field({ type: "page", id: page.id }, "draft");
    return page.isTemplate ? [] : [{ ...page, isDraft: draft === true }];
  });
}

async function renderDraft(copy: SiteCopy, page: string): Promise<string> {
  const world: World = {
    copy: () => copy,
    async openBody(site, id) {
      const { body, seq } = await siteApi.body(id);
      if (!site.isOpen(id)) site.open(id, body, seq);
    },
    rows: (query) => siteApi.rows(query).catch(() => undefined),
    address: (target) => siteApi.address(target).catch(() => null),
    // Rendering asks for none of these; tools do.
    openOwner: async () => false,
    installFont: async () => ({ type: "refused", reason: "" }),
    lookAt: async () => ({ type: "notShown" }),
  };
  const { done } = await withNeeds(world, (site, facts) => site.render(page, "canvas", facts));
  return done.html;
}
