import { useEffect, useRef, useState } from "react";
import { writePage } from "../../../canvas/frame-document";
import { contentHeight } from "../../../canvas/frame-height";
import styles from "./InsertPanel.module.css";
import type { SectionPreview } from "./section-preview";

interface SectionPictureProps {
  name: string;
  html: string;
  preview: SectionPreview;
}

/** The width at which sections are drawn before they are made small. */
const WIDTH_PX = 1200;
const HEIGHT_MAX_PX = 1000;
const HEIGHT_FIRST_PX = 480;
/** How far below the edge of the panel pictures are drawn already. */
const AHEAD = "300px 0px";

/** A section as it will look on this site, in a frame that runs no scripts and cannot be entered. */
export function SectionPicture({ name, html, preview }: SectionPictureProps) {
  const box = useRef<HTMLSpanElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const isSeen = useSeen(box);
  const [height, setHeight] = useState(HEIGHT_FIRST_PX);
  const [isDrawn, setDrawn] = useState(false);

  const known = useRef<Document>(null);
  function arrived() {
    const document = frame.current?.contentDocument ?? null;
    // Writing into the frame counts as loading it once more.
    if (document === null || document === known.current) return;
    known.current = document;
    void preview.page(html).then((page) => {
      if (page === undefined || !frame.current?.isConnected) return;
      writePage(document, page);
      preview.leaveOnly(document);
      setHeight(Math.min(Math.max(contentHeight(document), 1), HEIGHT_MAX_PX));
      setDrawn(true);
    });
  }

  return (
    <span
      ref={box}
      className={styles.picture}
      data-drawn={isDrawn}
      style={{ "--height": height, "--width": WIDTH_PX } as React.CSSProperties}
    >
      {isSeen && (
        <iframe
          ref={frame}
          title={name}
          src="/admin/canvas.html"
          sandbox="allow-same-origin"
          tabIndex={-1}
          inert
          aria-hidden="true"
          onLoad={arrived}
        />
      )}
    </span>
  );
}

/** Whether it has been in sight once. */
function useSeen(box: React.RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null || isSeen) return;
    const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setSeen(true), {
      rootMargin: AHEAD,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, isSeen]);
  return isSeen;
}
