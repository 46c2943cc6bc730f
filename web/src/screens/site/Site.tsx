import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Empty } from "../../parts/empty/Empty";
import { LoadingRows } from "../../parts/loading/Loading";
import { ProblemPanel } from "../../parts/problem/Problem";
import { may } from "../../permissions";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import { CanvasFrame } from "./CanvasFrame";
import { PageList } from "./PageList";
import { SaveState } from "./SaveState";
import styles from "./Site.module.css";
import { Troubles } from "./Troubles";
import { useSync, useSyncState, useVersion } from "./use-sync";

export function Site({ page }: { page?: string }) {
  const { user } = useSession();
  const sync = useSync(user?.id ?? "");
  return (
    <>
      <title>{`${words.pages.site} · ${words.product}`}</title>
      <h1 className="visually-hidden">{words.pages.site}</h1>
      <div className={styles.site} data-room="all">
        {sync === undefined ? <LoadingRows /> : <Loaded sync={sync} wanted={page} />}
      </div>
    </>
  );
}

function Loaded({ sync, wanted }: { sync: Sync; wanted?: string }) {
  const { phase, error } = useSyncState(sync);
  useVersion(sync);
  if (phase === "failed" && error !== undefined) {
    return <ProblemPanel error={error} onRetry={() => void sync.start()} />;
  }
  if (phase !== "ready") return <LoadingRows />;
  const pages = sync.copy().pages();
  const page = chosen(pages, wanted);
  if (page === undefined) return <Empty icon="page" title={words.site.noPages} />;
  return <Work sync={sync} pages={pages} page={page} />;
}

/** The page of the address, else the home page, else the first. */
function chosen(pages: readonly PageEntry[], wanted: string | undefined): PageEntry | undefined {
  return (
    pages.find(({ id }) => id === wanted) ??
    pages.find(({ permalink, isTemplate }) => permalink === "/" && !isTemplate) ??
    pages[0]
  );
}

function Work({ sync, pages, page }: { sync: Sync; pages: readonly PageEntry[]; page: PageEntry }) {
  const { capabilities } = useSession();
  const editable = may(capabilities, { needs: "site.write" });
  return (
    <>
      <PageList pages={pages} current={page.id} />
      <section className={styles.work} aria-labelledby="page-title">
        <header className={styles.bar}>
          <div className={styles.name}>
            <h2 id="page-title">{page.title}</h2>
            <code>{page.permalink}</code>
          </div>
          <SaveState sync={sync} editable={editable} />
        </header>
        <Troubles sync={sync} />
        <CanvasFrame sync={sync} page={page} editable={editable} />
        <p className={styles.hint}>{editable ? words.site.hint : words.site.readOnly}</p>
      </section>
    </>
  );
}
