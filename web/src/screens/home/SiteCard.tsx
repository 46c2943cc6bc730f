import { Link } from "wouter";
import type { WouldChange } from "../../generated/api";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { Badge } from "../../parts/badge/Badge";
import { loadOverview, type OverviewPage, type SiteOverview } from "../../site/overview";
import { visible } from "../../words/visible-text";
import { type PageState, pageState } from "./page-states";
import styles from "./SiteCard.module.css";
import { SitePicture } from "./SitePicture";

const PAGES_SHOWN = 6;
const TONES = { live: "accent", changed: "caution", new: "plain", draft: "plain" } as const satisfies Record<
  PageState,
  string
>;

/** What the site looks like, and how each of its pages stands. Its size does not depend on what arrives. */
export function SiteCard({ would }: { would: WouldChange | undefined }) {
  const { state } = useResource(loadOverview);
  const overview: SiteOverview = state.status === "ready" ? state.value : { pages: [] };
  const { pages, home, html } = overview;
  return (
    <section className={styles.site} aria-labelledby="home-site">
      <h2 id="home-site" className="visually-hidden">
        {words.home.site}
      </h2>
      <div className={styles.picture}>
        {html !== undefined && <SitePicture html={html} />}
        <Link href={home === undefined ? "/site" : `/site/${home.id}`}>
          <span>{words.home.openEditor}</span>
        </Link>
      </div>
      <div className={styles.pages}>
        {state.status === "failed" && <p className={styles.failed}>{state.error.message}</p>}
        <ul aria-label={words.site.pages}>
          {pages.slice(0, PAGES_SHOWN).map((page) => (
            <PageRow key={page.id} page={page} would={would} />
          ))}
        </ul>
        {pages.length > PAGES_SHOWN && <Link href="/site">{words.home.allPages(pages.length)}</Link>}
      </div>
    </section>
  );
}

function PageRow({ page, would }: { page: OverviewPage; would: WouldChange | undefined }) {
  const state = pageState(page, would);
  return (
    <li>
      <Link href={`/site/${page.id}`}>{visible(page.title)}</Link>
      <code>{page.permalink}</code>
      {state !== undefined && <Badge tone={TONES[state]}>{words.home.pageStates[state]}</Badge>}
    </li>
  );
}
