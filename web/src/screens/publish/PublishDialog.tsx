import { useState } from "react";
import { asApiError } from "../../api/problem";
import type { ChangeInfo, Published, WouldChange } from "../../api/publish-api";
import { publishApi } from "../../app-state";
import { words } from "../../glossary";
import { type Resource, useResource } from "../../hooks/use-resource";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field } from "../../parts/field/Field";
import { Loaded } from "../../parts/loading/Loading";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import { ChangeRow } from "./ChangeRow";
import styles from "./Publish.module.css";
import { PublishedNote } from "./PublishedNote";

interface PublishDialogProps {
  unsaved: number;
  onPublished?(): void;
  onClose(): void;
}

interface Done {
  published: Published;
  changes: readonly ChangeInfo[];
  publicUrl: string;
}

/** What publishing would change, each address to be left out, and what came of it. */
export function PublishDialog({ unsaved, onPublished, onClose }: PublishDialogProps) {
  const resource = useResource(publishApi.wouldChange);
  const [done, setDone] = useState<Done>();
  if (done !== undefined) {
    return (
      <Dialog title={words.publishing.published(done.published.release)} size="wide" onClose={onClose}>
        <PublishedNote {...done} />
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            {words.actions.done}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title={words.publishing.title} size="wide" onClose={onClose}>
      <Loaded resource={resource}>
        {(value) => (
          <PublishForm
            value={value}
            resource={resource}
            unsaved={unsaved}
            onClose={onClose}
            onDone={(published, changes) => {
              setDone({ published, changes, publicUrl: value.publicUrl ?? "" });
              onPublished?.();
            }}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

/** From how many changes on there is a button for all of them. */
const ALL_FROM = 6;

interface PublishFormProps {
  value: WouldChange;
  resource: Resource<WouldChange>;
  unsaved: number;
  onDone(published: Published, changes: readonly ChangeInfo[]): void;
  onClose(): void;
}

function PublishForm({ value, resource, unsaved, onDone, onClose }: PublishFormProps) {
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const [moved, setMoved] = useState(false);
  const chosen = value.changes.filter(({ address }) => !leftOut.has(address));
  const form = useSubmit(async (values) => {
    setMoved(false);
    try {
      const leaveOut = value.changes.flatMap(({ address }) => (leftOut.has(address) ? [address] : []));
      const published = await publishApi.publish({ version: value.version, leaveOut, note: values.text("note") });
      onDone(published, chosen);
    } catch (error) {
      const refusal = asApiError(error);
      if (refusal.status !== 409) throw refusal;
      setMoved(true);
      resource.reload();
    }
  });

  function choose(address: string, included: boolean) {
    const next = new Set(leftOut);
    if (included) next.delete(address);
    else next.add(address);
    setLeftOut(next);
  }

  function chooseAll() {
    setLeftOut(new Set(chosen.length === 0 ? [] : value.changes.map(({ address }) => address)));
  }

  if (value.changes.length === 0) {
    return (
      <>
        <Note tone="calm">{words.publishing.nothing}.</Note>
        <Problems sentences={value.problems} />
        <Unsaved count={unsaved} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.close}</Button>
        </DialogActions>
      </>
    );
  }
  return (
    <form className={styles.form} onSubmit={form.onSubmit} noValidate>
      <p className={styles.intro}>
        {value.release ? words.publishing.since(value.release.number) : words.publishing.firstTime}{" "}
        {words.publishing.drafts}
      </p>
      <div className={styles.status} role="status">
        {moved && <Note tone="caution">{words.publishing.moved}</Note>}
      </div>
      <Unsaved count={unsaved} />
      <Problems sentences={value.problems} />
      {value.changes.length >= ALL_FROM && (
        <div>
          <Button look="quiet" onClick={chooseAll}>
            {chosen.length === 0 ? words.publishing.takeAll : words.publishing.leaveAll}
          </Button>
        </div>
      )}
      <ul className={styles.changes} aria-label="Changes">
        {value.changes.map((change) => (
          <ChangeRow
            key={change.address}
            change={change}
            included={!leftOut.has(change.address)}
            onChoose={(included) => choose(change.address, included)}
          />
        ))}
      </ul>
      <Field
        label={words.publishing.note}
        name="note"
        maxLength={500}
        autoComplete="off"
        hint="Optional. Shown with the release to you and your team."
        error={form.errors.note}
      />
      <ProblemNote problem={form.problem} />
      <DialogActions>
        <Button onClick={onClose}>{words.actions.cancel}</Button>
        <Button look="primary" type="submit" busy={form.pending} disabled={chosen.length === 0}>
          {words.publishing.publishCount(chosen.length)}
        </Button>
      </DialogActions>
    </form>
  );
}

function Unsaved({ count }: { count: number }) {
  return count > 0 ? <Note tone="caution">{words.publishing.unsaved(count)}</Note> : null;
}

/** What is not published although somebody may think so. */
function Problems({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <Note tone="caution">
      <strong>{words.publishing.attention}</strong>
      <ul className={styles.sentences}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Note>
  );
}
