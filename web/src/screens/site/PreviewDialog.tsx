import { useCallback, useState } from "react";
import { asApiError } from "../../api/problem";
import { historyApi, notices } from "../../app-state";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { Button } from "../../parts/button/Button";
import { Copyable } from "../../parts/copyable/Copyable";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Select } from "../../parts/field/Field";
import { LoadingRows } from "../../parts/loading/Loading";
import { Note, ProblemPanel } from "../../parts/problem/Problem";
import { QrCode } from "../../parts/qr/QrCode";
import { When } from "../../parts/When";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";
import styles from "./PreviewDialog.module.css";
import { useSyncState } from "./use-sync";

const texts = words.preview;
const A_DAY = 24;

interface PreviewDialogProps {
  sync: Sync;
  page: PageEntry;
  onClose(): void;
}

/** A link to the draft for somebody who has no account, or a telephone. */
export function PreviewDialog({ sync, page, onClose }: PreviewDialogProps) {
  const [hours, setHours] = useState(A_DAY);
  const load = useCallback(() => historyApi.previewLink(page.id, hours), [page.id, hours]);
  const { state, reload } = useResource(load);
  const { waiting } = useSyncState(sync);
  return (
    <Dialog title={texts.title(page.title)} onClose={onClose}>
      <p>{texts.hint}</p>
      {waiting > 0 && <Note tone="plain">{texts.waits}</Note>}
      <Select label={texts.hours} value={hours} onChange={(event) => setHours(Number(event.target.value))}>
        {Object.entries(texts.choices).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {state.status === "loading" && <LoadingRows />}
      {state.status === "failed" && <ProblemPanel error={state.error} onRetry={reload} />}
      {state.status === "ready" && (
        <>
          <Copyable key={state.value.url} label={texts.link} value={state.value.url} />
          {isLocal(state.value.url) && <Note tone="caution">{texts.local}</Note>}
          <div className={styles.code}>
            <QrCode text={state.value.url} label={texts.code} />
            <p>
              {texts.expires} <When at={state.value.expiresAt} />
            </p>
          </div>
          <PreviewLinks key={state.value.id} page={page} current={state.value.id} onWithdrawn={onClose} />
          <DialogActions>
            <a className={styles.visit} href={state.value.url} target="_blank" rel="noreferrer">
              {texts.visit}
            </a>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

interface PreviewLinksProps {
  page: PageEntry;
  /** The link that the dialog shows. */
  current: string;
  /** The link that the dialog shows was withdrawn. */
  onWithdrawn(): void;
}

/** The links to the page that work, each with a way to withdraw it. */
function PreviewLinks({ page, current, onWithdrawn }: PreviewLinksProps) {
  const load = useCallback(() => historyApi.previewLinks(page.id), [page.id]);
  const { state, reload } = useResource(load);
  if (state.status === "failed") return <ProblemPanel error={state.error} onRetry={reload} />;
  if (state.status === "loading") return <LoadingRows />;
  const withdraw = async (id: string) => {
    try {
      await historyApi.withdrawLink(id);
      notices.show(texts.withdrawn);
      if (id === current) onWithdrawn();
      else reload();
    } catch (error) {
      notices.show(asApiError(error).message);
      reload();
    }
  };
  return (
    <section className={styles.links} aria-label={texts.others}>
      <h3>{texts.others}</h3>
      <ul>
        {state.value.links.map(({ id, madeBy, expiresAt }) => (
          <li key={id}>
            <span>
              {id === current ? texts.thisLink : madeBy == null ? texts.madeByNobody : texts.madeBy(madeBy)} ·{" "}
              {texts.expires.toLowerCase()} <When at={expiresAt} />
            </span>
            <Button onClick={() => withdraw(id)}>{texts.withdraw}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether an address leads to the machine itself, so that a phone does not get there. */
function isLocal(address: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(address).hostname);
}
