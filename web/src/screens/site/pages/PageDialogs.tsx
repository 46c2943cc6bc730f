import { useCallback, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Checkbox } from "../../../parts/choice/Choice";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import type { PageEntry } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import { ImportForm } from "./ImportForm";
import styles from "./PageList.module.css";
import { addPage, deletePage, duplicatePage, menuTakesLink, type PageWords, renamePage } from "./page-changes";
import { pageQuestion } from "./page-question";

/** The question that is open about a page, if there is one. */
export function PageDialogs({ sync, current }: { sync: Sync; current: PageEntry }) {
  const question = useSyncExternalStore(pageQuestion.subscribe, pageQuestion.get);
  const [, navigate] = useLocation();
  const close = () => pageQuestion.set(undefined);
  if (question === undefined) return null;
  if (question.kind === "delete") {
    const { page } = question;
    return (
      <Confirm
        title={words.editor.deletePageAsk(page.title)}
        verb={words.editor.deletePageVerb}
        action={async () => {
          await deletePage(sync, page);
          if (page.id === current.id) navigate("/site");
        }}
        onClose={close}
      >
        {words.editor.deletePageWhat(page.title)}
      </Confirm>
    );
  }
  if (question.kind === "import") return <ImportForm sync={sync} close={close} />;
  const save = async (written: PageWords, inMenu: boolean) => {
    if (question.kind === "rename") await renamePage(sync, question.page, written);
    else {
      const made =
        question.kind === "add"
          ? await addPage(sync, written, inMenu)
          : await duplicatePage(sync, question.page, written);
      navigate(`/site/${made}`);
    }
    close();
  };
  return <PageForm sync={sync} question={question} save={save} close={close} />;
}

type FormQuestion = { kind: "add" } | { kind: "rename" | "duplicate"; page: PageEntry };

interface PageFormProps {
  sync: Sync;
  question: FormQuestion;
  save(written: PageWords, inMenu: boolean): Promise<void>;
  close(): void;
}

function PageForm({ sync, question, save, close }: PageFormProps) {
  const { title, verb, start } = asked(question);
  const form = useSubmit((values) =>
    save({ title: values.text("title"), slug: values.text("slug") }, values.list("menu").length > 0),
  );
  return (
    <Dialog title={title} onClose={close}>
      <form className={styles.form} onSubmit={form.onSubmit} noValidate>
        <ProblemNote problem={form.problem} />
        <Field
          label={words.editor.pageTitle}
          name="title"
          defaultValue={start.title}
          error={form.errors.title}
          required
        />
        {!(question.kind === "rename" && question.page.isTemplate) && (
          <Field
            label={words.editor.pageAddress}
            name="slug"
            defaultValue={start.slug}
            hint={words.editor.pageAddressHint}
            error={form.errors.slug}
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        {question.kind === "add" && <MenuChoice sync={sync} />}
        <DialogActions>
          <Button onClick={close}>{words.actions.cancel}</Button>
          <Button type="submit" look="primary" busy={form.pending}>
            {verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Not there on a site without a menu, or with a full one. Until that is known it has its place, so that nothing jumps. */
function MenuChoice({ sync }: { sync: Sync }) {
  const { state } = useResource(useCallback(() => menuTakesLink(sync), [sync]));
  const isReady = state.status === "ready";
  if (state.status === "failed" || (isReady && !state.value)) return null;
  return <Checkbox label={words.editor.pageInMenu} name="menu" value="yes" disabled={!isReady} />;
}

function asked(question: FormQuestion): { title: string; verb: string; start: PageWords } {
  const { actions } = words.editor;
  if (question.kind === "add") return { title: actions.addPage, verb: actions.addPage, start: { title: "", slug: "" } };
  const { title, slug } = question.page;
  return question.kind === "rename"
    ? { title: actions.renamePage, verb: words.actions.save, start: { title, slug } }
    : { title: actions.duplicatePage, verb: actions.duplicate, start: { title: words.editor.copyOf(title), slug: "" } };
}
