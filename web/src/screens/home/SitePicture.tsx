import { useEffect, useRef, useState } from "react";
import { writePage } from "../../canvas/frame-document";
import { words } from "../../glossary";
import styles from "./SiteCard.module.css";

/** The home page's draft, small. The frame runs nothing, and nobody can get into it. */
export function SitePicture({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [page, setPage] = useState<Document | null>(null);
  useEffect(() => {
    if (page !== null) writePage(page, html);
  }, [page, html]);
  return (
    <iframe
      ref={frame}
      title={words.home.picture}
      src="/admin/canvas.html"
      sandbox="allow-same-origin"
      tabIndex={-1}
      aria-hidden="true"
      inert
      className={styles.frame}
      onLoad={() => setPage(frame.current?.contentDocument ?? null)}
    />
  );
}
