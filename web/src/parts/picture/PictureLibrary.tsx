import { useCallback, useState } from "react";
import { mediaApi } from "../../app-state";
import type { MediaItem } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useResource } from "../../hooks/use-resource";
import { Button } from "../button/Button";
import { Dialog } from "../dialog/Dialog";
import { Empty } from "../empty/Empty";
import { Field } from "../field/Field";
import { LoadingRows } from "../loading/Loading";
import { ProblemNote, ProblemPanel } from "../problem/Problem";
import styles from "./Picture.module.css";

interface PictureLibraryProps {
  onPick(picture: MediaItem): Promise<unknown>;
  onClose(): void;
}

/** The pictures of the site, one of which is to be chosen. */
export function PictureLibrary({ onPick, onClose }: PictureLibraryProps) {
  const [search, setSearch] = useState("");
  const load = useCallback(() => mediaApi.list({ search }), [search]);
  const { state, reload, replace } = useResource(load);
  const choosing = useAction(async (picture: MediaItem) => {
    await onPick(picture);
    onClose();
  });
  const more = useAction(async (before: string) => {
    const older = await mediaApi.list({ search, before });
    replace((known) => ({ media: [...known.media, ...older.media], next: older.next }));
  });
  return (
    <Dialog title={words.picture.choose} onClose={onClose} size="wide">
      <Field
        label={words.picture.search}
        type="search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {state.status === "loading" && <LoadingRows />}
      {state.status === "failed" && <ProblemPanel error={state.error} onRetry={reload} />}
      {state.status === "ready" && (
        <>
          {state.value.media.length === 0 && (
            <Empty icon="picture" title={search === "" ? words.picture.empty : words.picture.noneFound} />
          )}
          <ul className={styles.grid}>
            {state.value.media.map((picture) => (
              <li key={picture.id}>
                <button type="button" onClick={() => choosing.run(picture)}>
                  <img src={picture.thumbnail} alt={picture.alt} loading="lazy" />
                  <span>{picture.name}</span>
                </button>
              </li>
            ))}
          </ul>
          <ProblemNote problem={choosing.problem ?? more.problem} />
          {state.value.next != null && (
            <Button busy={more.pending} onClick={() => more.run(state.value.next ?? "")}>
              {words.picture.more}
            </Button>
          )}
        </>
      )}
    </Dialog>
  );
}
