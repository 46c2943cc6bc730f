import { type FormEvent, useState } from "react";
import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field } from "../../../parts/field/Field";
import { Icon } from "../../../parts/icon/Icon";
import type { Target } from "../layers/drop";
import { type Block, videoHtml } from "./blocks";
import type { Insert } from "./InsertPanel";
import styles from "./InsertPanel.module.css";
import type { InsertHost } from "./insertion";
import { panelDrag } from "./panel-drag";
import { useWantedFocus } from "./use-wanted-focus";

interface BlockListProps {
  blocks: readonly Block[];
  host: InsertHost;
  insert: Insert;
}

/** Layouts or elements, each with what it is for. */
export function BlockList({ blocks, host, insert }: BlockListProps) {
  const first = useWantedFocus<HTMLButtonElement>();
  const [video, setVideo] = useState<{ target?: Target }>();
  const choose =
    (block: Block): Insert =>
    async (choice, target) => {
      // A player without a video would be a grey box.
      if (block.html === "") setVideo({ target });
      else await insert(choice, target);
    };
  return (
    <>
      <p className={styles.hint}>{words.insert.drag}</p>
      <ul className={styles.blocks}>
        {blocks.map((block, index) => (
          <li key={block.key}>
            <button
              type="button"
              ref={index === 0 ? first : undefined}
              data-ghost={styles.ghost}
              onClick={() => void choose(block)(block)}
              onPointerDown={panelDrag(host, block, choose(block))}
            >
              <Icon name={block.icon} />
              <span>
                {block.name}
                <small>{block.about}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {video !== undefined && (
        <VideoDialog
          onClose={() => setVideo(undefined)}
          onVideo={(html) => insert({ name: words.insert.elements.video.name, kind: "block", html }, video.target)}
        />
      )}
    </>
  );
}

function VideoDialog({ onClose, onVideo }: { onClose(): void; onVideo(html: string): Promise<void> }) {
  const [error, setError] = useState<string>();
  const texts = words.insert.video;
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const address = new FormData(event.currentTarget).get("address");
    const html = typeof address === "string" ? videoHtml(address) : undefined;
    if (html === undefined) {
      setError(texts.unknown);
      return;
    }
    onClose();
    await onVideo(html);
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
        <Field label={texts.address} name="address" type="url" hint={texts.hint} error={error} required />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
