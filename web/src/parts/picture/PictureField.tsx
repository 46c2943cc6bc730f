import { type DragEvent, useId, useRef, useState } from "react";
import { may } from "../../access/permissions";
import { mediaApi } from "../../app-state";
import type { MediaItem } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useSession } from "../../hooks/use-session";
import { Button } from "../button/Button";
import { Icon } from "../icon/Icon";
import { ProblemNote } from "../problem/Problem";
import styles from "./Picture.module.css";
import { PictureLibrary } from "./PictureLibrary";

interface PictureFieldProps {
  label: string;
  /** The address of the picture that is there; empty for none. */
  address: string;
  onPick(picture: MediaItem): Promise<unknown>;
  /** Takes the picture away, where that can be. */
  onClear?(): void;
}

/** A picture that can be uploaded, dropped or chosen from the library. */
export function PictureField({ label, address, onPick, onClear }: PictureFieldProps) {
  const { capabilities } = useSession();
  const mayAdd = may(capabilities, { needs: "content.write" });
  const mayChoose = may(capabilities, { needs: "content.read" });
  const [choosing, setChoosing] = useState(false);
  const [isOver, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const name = useId();
  const uploading = useAction(async (chosen: File) => {
    await onPick(await mediaApi.upload(chosen));
  });

  function dropped(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const [chosen] = event.dataTransfer.files;
    if (chosen !== undefined && mayAdd) uploading.run(chosen);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out with its legend inside.
    <div
      role="group"
      aria-labelledby={name}
      className={styles.field}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <span id={name} className={styles.label}>
        {label}
      </span>
      <div className={styles.frame} aria-busy={uploading.pending}>
        {address === "" ? (
          <p>
            <Icon name="picture" />
            {mayAdd ? words.picture.drop : words.picture.none}
          </p>
        ) : (
          <img src={address} alt="" />
        )}
        {uploading.pending && <p role="status">{words.picture.uploading}</p>}
      </div>
      <div className={styles.buttons}>
        <input
          ref={file}
          type="file"
          hidden
          accept="image/*"
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            if (chosen !== undefined) uploading.run(chosen);
            target.value = "";
          }}
        />
        {mayAdd && (
          <Button busy={uploading.pending} onClick={() => file.current?.click()}>
            {words.picture.upload}
          </Button>
        )}
        {mayChoose && <Button onClick={() => setChoosing(true)}>{words.picture.library}</Button>}
        {onClear !== undefined && address !== "" && (
          <Button look="quiet" onClick={onClear}>
            {words.actions.remove}
          </Button>
        )}
      </div>
      <ProblemNote problem={uploading.problem} />
      {choosing && <PictureLibrary onPick={onPick} onClose={() => setChoosing(false)} />}
    </div>
  );
}
