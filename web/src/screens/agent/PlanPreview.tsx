import { useEffect, useRef, useState } from "react";
import { readField } from "../../api/read-field";
import { agentApi } from "../../app-state";
import { writePage } from "../../canvas/frame-document";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { Button } from "../../parts/button/Button";
import { Dialog } from "../../parts/dialog/Dialog";
import { ProblemNote } from "../../parts/problem/Problem";
import styles from "./Plan.module.css";

/** The page as the chosen steps would leave it. The frame runs nothing. */
export function PlanPreview({ turnId, accept }: { turnId: string; accept: readonly number[] }) {
  const [html, setHtml] = useState<string | null>();
  const looking = useAction(async () => {
    const { data } = await agentApi.preview(turnId, accept);
    const page = readField(data, "html");
    setHtml(typeof page === "string" ? page : null);
  });
  return (
    <>
      <Button icon="eye" busy={looking.pending} disabled={accept.length === 0} onClick={() => looking.run()}>
        {words.agent.planPreview}
      </Button>
      <ProblemNote problem={looking.problem} />
      {html !== undefined && (
        <Dialog title={words.agent.planPreviewTitle} size="wide" onClose={() => setHtml(undefined)}>
          {html === null ? <p>{words.agent.planNothingShown}</p> : <Frame html={html} />}
        </Dialog>
      )}
    </>
  );
}

function Frame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [document, setDocument] = useState<Document | null>(null);
  useEffect(() => {
    if (document !== null) writePage(document, html);
  }, [document, html]);
  return (
    <iframe
      ref={frame}
      className={styles.preview}
      title={words.agent.planPreviewTitle}
      src="/admin/canvas.html"
      sandbox="allow-same-origin"
      onLoad={() => setDocument(frame.current?.contentDocument ?? null)}
    />
  );
}
