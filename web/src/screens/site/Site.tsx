import { useEffect, useMemo, useRef } from "react";
import { useLocation } from "wouter";
import { may } from "../../access/permissions";
import { notices } from "../../app-state";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Empty } from "../../parts/empty/Empty";
import { LoadingRows } from "../../parts/loading/Loading";
import { ProblemPanel } from "../../parts/problem/Problem";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import { Editor } from "./Editor";
import styles from "./Site.module.css";
import { useShellVersion, useSync, useSyncState } from "./use-sync";

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
  if (phase === "failed" && error !== undefined) {
    return <ProblemPanel error={error} onRetry={() => void sync.start()} />;
  }
  return phase === "ready" ? <Opened sync={sync} wanted={wanted} /> : <LoadingRows />;
}

function Opened({ sync, wanted }: { sync: Sync; wanted?: string }) {
  const { capabilities } = useSession();
  const version = useShellVersion(sync);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has other pages.
  const pages = useMemo(() => sync.copy().pages(), [sync, version]);
  const page = chosen(pages, wanted);
  useAddressOfPage(pages, wanted, page);
  if (page === undefined) return <Empty icon="page" title={words.site.noPages} />;
  return <Editor sync={sync} pages={pages} page={page} editable={may(capabilities, { needs: "site.write" })} />;
}

/**
 * Leaves the address of a page that was removed while it was open. One that was never here may be on its way: the assistant opens pages
 * before this tab hears of them.
 */
function useAddressOfPage(pages: readonly PageEntry[], wanted: string | undefined, shown: PageEntry | undefined) {
  const [, navigate] = useLocation();
  const known = useRef<PageEntry>(undefined);
  useEffect(() => {
    const before = known.current;
    known.current = pages.find(({ id }) => id === wanted);
    if (known.current !== undefined || before === undefined || before.id !== wanted || shown === undefined) return;
    notices.show(words.editor.pageGone(before.title));
    navigate(`/site/${shown.id}`, { replace: true });
  }, [pages, wanted, shown, navigate]);
}

/** The page of the address, else the home page, else the first. */
function chosen(pages: readonly PageEntry[], wanted: string | undefined): PageEntry | undefined {
  return (
    pages.find(({ id }) => id === wanted) ??
    pages.find(({ permalink, isTemplate }) => permalink === "/" && !isTemplate) ??
    pages[0]
  );
}
