import { useCallback } from "react";
import { mediaApi, notices } from "../../app-state";
import type { MediaUse } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useResource } from "../../hooks/use-resource";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field, TextArea } from "../../parts/field/Field";
import { Loaded } from "../../parts/loading/Loading";
import { ProblemNote } from "../../parts/problem/Problem";
import settings from "../settings/Settings.module.css";
import styles from "./Media.module.css";

const said = words.content;

interface MediaDialogProps {
  id: string;
  mayWrite: boolean;
  onChanged(): void;
  onClose(): void;
}

/** A picture with its description and the places that use it. */
export function MediaDialog({ id, mayWrite, onChanged, onClose }: MediaDialogProps) {
  const picture = useResource(useCallback(() => mediaApi.picture(id), [id]));
  const name = picture.state.status === "ready" ? picture.state.value.name : said.picture;
  return (
    <Dialog title={name} onClose={onClose}>
      <Loaded resource={picture}>
        {(found) => <MediaForm picture={found} mayWrite={mayWrite} onChanged={onChanged} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

interface MediaFormProps extends Omit<MediaDialogProps, "id"> {
  picture: MediaUse;
}

function MediaForm({ picture, mayWrite, onChanged, onClose }: MediaFormProps) {
  const { id, name, alt, url, width, height, uses, published } = picture;
  const isUsed = uses.length > 0 || published;
  const form = useSubmit(async (values) => {
    await mediaApi.change(id, { name: values.text("name"), alt: values.text("alt") });
    notices.show(said.saved);
    onChanged();
    onClose();
  });
  const removing = useAction(async () => {
    await mediaApi.remove(id);
    notices.show(said.deleted(name));
    onChanged();
    onClose();
  });
  return (
    <form className={settings.form} onSubmit={form.onSubmit} noValidate>
      <img className={styles.preview} src={url} alt={alt} width={width} height={height} />
      <Field label="Name" name="name" required defaultValue={name} disabled={!mayWrite} error={form.errors.name} />
      <TextArea
        label={said.alt}
        name="alt"
        rows={2}
        defaultValue={alt}
        disabled={!mayWrite}
        hint={said.altHint}
        error={form.errors.alt}
      />
      <section>
        <h3 className={settings.name}>{said.uses}</h3>
        {isUsed ? (
          <ul>
            {uses.map((place) => (
              <li key={`${place.document} ${place.name}`}>{place.name}</li>
            ))}
            {published && <li>{said.publishedSite}</li>}
          </ul>
        ) : (
          <p>{said.noUses}</p>
        )}
      </section>
      <ProblemNote problem={form.problem ?? removing.problem} />
      <DialogActions>
        {mayWrite && (
          <Button look="danger" busy={removing.pending} disabled={isUsed} onClick={() => removing.run()}>
            {words.actions.delete}
          </Button>
        )}
        <Button onClick={onClose}>{mayWrite ? words.actions.cancel : words.actions.close}</Button>
        {mayWrite && (
          <Button look="primary" type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        )}
      </DialogActions>
    </form>
  );
}
