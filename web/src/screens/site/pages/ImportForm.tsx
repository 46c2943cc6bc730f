import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { mediaApi } from "../../../app-state";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { Button } from "../../../parts/button/Button";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import type { Sync } from "../../../site/sync";
import styles from "./PageList.module.css";
import { importPage } from "./page-import";

const texts = words.pageImport;

/** Chooses an HTML file with its stylesheets and pictures, and opens the page that it becomes. */
export function ImportForm({ sync, close }: { sync: Sync; close(): void }) {
  const [, navigate] = useLocation();
  const [files, setFiles] = useState<readonly File[]>([]);
  const importing = useAction(async () => {
    const { id, told } = await importPage({ sync, upload: mediaApi.upload }, files);
    navigate(`/site/${id}`);
    if (told !== "") sync.report({ message: told, conflict: false });
    close();
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    importing.run();
  }
  return (
    <Dialog title={texts.title} onClose={close}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <ProblemNote problem={importing.problem} />
        <Field
          label={texts.files}
          hint={texts.hint}
          type="file"
          multiple
          accept=".html,.htm,.css,image/*"
          onChange={(event) => setFiles([...(event.target.files ?? [])])}
        />
        <DialogActions>
          <Button onClick={close}>{words.actions.cancel}</Button>
          <Button type="submit" look="primary" busy={importing.pending}>
            {texts.verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
