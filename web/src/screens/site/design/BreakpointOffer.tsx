import { useEffect, useRef, useState } from "react";
import { writePage } from "../../../canvas/frame-document";
import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Note } from "../../../parts/problem/Problem";
import { newChangeId } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import { reasonOf } from "../inspector/element";
import { applyNewWidths, type WidthChange, widthChanges } from "./breakpoint-offer";
import styles from "./Design.module.css";

const texts = words.design.breakpoints;

/** A phone of today, which the old widths miss. */
const PREVIEW_PX = 430;

interface OfferProps {
  sync: Sync;
  page: string;
}

/** Offers the widths of new sites to a site that was made with narrower ones. */
export function BreakpointOffer({ sync, page }: OfferProps) {
  const [open, setOpen] = useState(false);
  const changes = widthChanges(sync.copy().breakpoints());
  if (changes.length === 0) return null;
  return (
    <div className={styles.offer}>
      <Note tone="plain" icon="fit">
        {texts.offer}
      </Note>
      <Button onClick={() => setOpen(true)}>{texts.look}</Button>
      {open && <Preview sync={sync} page={page} changes={changes} onClose={() => setOpen(false)} />}
    </div>
  );
}

interface PreviewProps extends OfferProps {
  changes: readonly WidthChange[];
  onClose(): void;
}

interface Plan {
  html: string;
  rules: Readonly<Record<string, number>>;
}

function Preview({ sync, page, changes, onClose }: PreviewProps) {
  const [plan, setPlan] = useState<Plan>();
  const [error, setError] = useState<string>();
  const input = {
    breakpoints: changes.map(({ breakpointId, maxWidth, frameWidth }) => ({ breakpointId, maxWidth, frameWidth })),
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: planned once, when the dialog opens.
  useEffect(() => {
    planWidths(sync, page, input).then(setPlan, (refused: unknown) => setError(reasonOf(refused)));
  }, []);
  const use = () =>
    sync
      .run("set_breakpoint_widths", input, { summary: texts.summary })
      .then(onClose, (refused: unknown) => setError(reasonOf(refused)));
  return (
    <Dialog title={texts.ask} size="wide" onClose={onClose}>
      <p>{texts.what}</p>
      <ul className={styles.widths}>
        {changes.map(({ breakpointId, label, from, maxWidth }) => (
          <li key={breakpointId}>
            {texts.row(label, from, maxWidth)}
            <small>{plan !== undefined && texts.rules(plan.rules[breakpointId] ?? 0)}</small>
          </li>
        ))}
      </ul>
      {plan !== undefined && (
        <div className={styles.previews}>
          <PagePreview title={texts.before} html={plan.html} changes={[]} />
          <PagePreview title={texts.after} html={plan.html} changes={changes} />
        </div>
      )}
      {error !== undefined && <Note tone="danger">{error}</Note>}
      <DialogActions>
        <Button onClick={onClose}>{texts.later}</Button>
        <Button look="primary" onClick={() => void use()}>
          {texts.use}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

async function planWidths(sync: Sync, page: string, input: unknown): Promise<Plan> {
  const [{ html }, { data }] = await Promise.all([
    sync.render(page),
    sync.plan("set_breakpoint_widths", { input, change: newChangeId() }),
  ]);
  const { breakpoints } = data as { breakpoints: { breakpointId: string; rules: number }[] };
  return { html, rules: Object.fromEntries(breakpoints.map(({ breakpointId, rules }) => [breakpointId, rules])) };
}

interface PagePreviewProps {
  title: string;
  html: string;
  changes: readonly WidthChange[];
}

/** The page at the width of a phone. */
function PagePreview({ title, html, changes }: PagePreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const written = useRef(false);
  // Writing a page into the frame counts as loading it once more.
  function arrived() {
    const document = frame.current?.contentDocument;
    if (!document || written.current) return;
    written.current = true;
    writePage(document, html);
    applyNewWidths(document, changes);
  }
  return (
    <figure className={styles.preview}>
      <figcaption>{texts.frame(title, PREVIEW_PX)}</figcaption>
      <div>
        <iframe ref={frame} title={title} src="/admin/canvas.html" sandbox="allow-same-origin" onLoad={arrived} />
      </div>
    </figure>
  );
}
