import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Entry, Translation } from "../../api/content-api";
import { contentApi, notices } from "../../app-state";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useSubmit } from "../../hooks/use-submit";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field } from "../../parts/field/Field";
import { Section } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import settings from "../settings/Settings.module.css";
import { languageName } from "./languages";

const said = words.content;

interface LanguagesProps {
  entry: Entry;
  mayWrite: boolean;
  onChanged(): void;
}

/** The translations of an entry, or of the entry that it translates. */
export function Languages({ entry, mayWrite, onChanged }: LanguagesProps) {
  const [adding, setAdding] = useState(false);
  const source = entry.translationOf;
  const translations = entry.translations ?? [];
  return (
    <Section
      title={said.languages}
      action={
        mayWrite && source === undefined && <Button onClick={() => setAdding(true)}>{said.addTranslation}</Button>
      }
    >
      {source !== undefined && (
        <p>
          <Link href={`/content/entry/${source}`}>{said.source}</Link>
        </p>
      )}
      {entry.sourceChanged === true && <SourceChanged entry={entry} mayWrite={mayWrite} onChanged={onChanged} />}
      {translations.length === 0 ? (
        <p>{said.noTranslations}</p>
      ) : (
        <Rows label={said.languages}>
          {translations.map((translation) => (
            <TranslationRow key={translation.id} translation={translation} />
          ))}
        </Rows>
      )}
      {adding && <TranslationDialog entry={entry} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function TranslationRow({ translation: { id, locale, title, status, sourceChanged } }: { translation: Translation }) {
  return (
    <li className={settings.row}>
      <div className={settings.grow}>
        <h3 className={settings.name}>
          <Link href={`/content/entry/${id}`}>{title}</Link> <Badge>{said.statuses[status]}</Badge>{" "}
          {sourceChanged && <Badge tone="accent">{said.sourceChanged}</Badge>}
        </h3>
        <p className={settings.about}>{languageName(locale)}</p>
      </div>
    </li>
  );
}

/** Says that the source has changed, until somebody has looked at the translation. */
function SourceChanged({ entry, mayWrite, onChanged }: LanguagesProps) {
  const matching = useAction(async () => {
    await contentApi.changeEntry(entry.id, { matchesSource: true });
    notices.show(said.saved);
    onChanged();
  });
  return (
    <div className={settings.row}>
      <p className={settings.grow}>{said.sourceChangedNote}</p>
      {mayWrite && (
        <Button busy={matching.pending} onClick={() => matching.run()}>
          {said.matchesSource}
        </Button>
      )}
      <ProblemNote problem={matching.problem} />
    </div>
  );
}

/** Asks for the language of a new translation, which begins as a copy. */
function TranslationDialog({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const [, go] = useLocation();
  const form = useSubmit(async (values) => {
    const created = await contentApi.createEntry({
      collectionId: entry.collectionId,
      title: entry.title,
      slug: entry.slug,
      content: entry.content ?? {},
      locale: values.text("locale"),
      translationOf: entry.id,
    });
    notices.show(said.saved);
    go(`/content/entry/${String(created.id)}`);
  });
  return (
    <Dialog title={said.addTranslation} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field label={said.language} name="locale" required hint={said.languageHint} error={form.errors.locale} />
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {said.addTranslation}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
