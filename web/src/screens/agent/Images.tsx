import { useRef } from "react";
import { IMAGES_MAX } from "../../agent/agent";
import type { Picture } from "../../agent/transcript";
import { invalid } from "../../api/problem";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { type Action, useAction } from "../../hooks/use-action";
import { Icon } from "../../parts/icon/Icon";
import styles from "./Composer.module.css";

const KINDS = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/** Eight of them, in base64, fit into a message. */
const BYTES_MAX = 2 * 1024 * 1024;

/** Takes pictures into the message, or says why not. */
export function useImages(): Action<[files: readonly File[]]> {
  return useAction(async (files) => {
    if (files.some(({ type }) => !KINDS.includes(type))) throw invalid("images", words.agent.imageKinds);
    if (files.some(({ size }) => size > BYTES_MAX)) throw invalid("images", words.agent.imageLarge);
    const before = agent.get().images;
    if (before.length + files.length > IMAGES_MAX) throw invalid("images", words.agent.imagesMax(IMAGES_MAX));
    const added = await Promise.all(files.map(asPicture));
    agent.set({ images: [...agent.get().images, ...added].slice(0, IMAGES_MAX) });
  });
}

async function asPicture(file: File): Promise<Picture> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return { mimeType: file.type, data: address.slice(address.indexOf(",") + 1) };
}

export function ImageTray({ images }: { images: readonly Picture[] }) {
  if (images.length === 0) return null;
  return (
    <ul className={styles.tray}>
      {images.map(({ mimeType, data }, position) => (
        <li key={position}>
          <img src={`data:${mimeType};base64,${data}`} alt={words.agent.image(position + 1)} />
          <button
            type="button"
            aria-label={words.agent.removeImage(position + 1)}
            onClick={() => agent.set({ images: images.toSpliced(position, 1) })}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function AddImages({ disabled, onAdd }: { disabled: boolean; onAdd(files: readonly File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={KINDS.join(",")}
        multiple
        hidden
        onChange={(event) => {
          onAdd([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <button
        type="button"
        className={styles.quiet}
        aria-label={words.agent.addImages}
        title={words.agent.addImages}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        <Icon name="image" />
      </button>
    </>
  );
}
