import { useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../api/problem";
import { type Canvas, createCanvas } from "../../canvas/canvas";
import { words } from "../../glossary";
import { Note, ProblemPanel } from "../../parts/problem/Problem";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import styles from "./Site.module.css";
import { useVersion } from "./use-sync";

/** A page as visitors see it. The frame runs no scripts; what happens in it is heard from out here. */
export function CanvasFrame({ sync, page, editable }: { sync: Sync; page: PageEntry; editable: boolean }) {
  const [canvas, setCanvas] = useState<Canvas>();
  const [failure, setFailure] = useState<ApiError>();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [round, setRound] = useState(0);
  const frame = useRef<HTMLIFrameElement>(null);
  const version = useVersion(sync);

  // Writing a page into the frame counts as loading it once more; the document stays the same one.
  const known = useRef<Document>(null);
  function arrived() {
    const document = frame.current?.contentDocument ?? null;
    if (document === null || document === known.current) return;
    known.current = document;
    setCanvas(createCanvas(document, sync, editable));
  }

  useEffect(() => {
    if (canvas === undefined) return;
    const flush = () => canvas.flush();
    window.addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", flush);
      canvas.dispose();
    };
  }, [canvas]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version or round is what renders again.
  useEffect(() => {
    if (canvas === undefined) return;
    let wanted = true;
    sync.render(page.id).then(
      (rendered) => {
        if (!wanted) return;
        canvas.show(page.id, rendered.html);
        setFailure(undefined);
        setProblems(rendered.problems);
      },
      (error: unknown) => wanted && setFailure(asApiError(error)),
    );
    return () => {
      wanted = false;
    };
  }, [canvas, sync, page.id, version, round]);

  return (
    <>
      {failure !== undefined && <ProblemPanel error={failure} onRetry={() => setRound((current) => current + 1)} />}
      {problems.map((problem) => (
        <Note key={problem} tone="caution">
          {problem}
        </Note>
      ))}
      <iframe
        ref={frame}
        className={styles.canvas}
        title={words.site.canvas(page.title)}
        src="/admin/canvas.html"
        sandbox="allow-same-origin"
        onLoad={arrived}
      />
    </>
  );
}
