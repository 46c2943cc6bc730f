import type { MediaItem } from "../../../generated/api";
import { words } from "../../../glossary";
import { PictureField } from "../../../parts/picture/PictureField";
import { newChangeId, type Op } from "../../../site/model";
import { attribute, type SectionProps, type Selected, setProps } from "./element";
import styles from "./Inspector.module.css";
import { Conflict, Row } from "./Row";
import { useDraft } from "./use-draft";

const texts = words.inspector;

/** The picture itself, and what it says to those who do not see it. */
export function ImageSection({ selected }: SectionProps) {
  const src = attribute(selected, "src") ?? "";
  async function show({ url, srcset, width, height, alt }: MediaItem): Promise<void> {
    // A description of another picture would be a lie. Sizes say how wide the picture stands in the page, which holds for this one
    // as well; without any, the browser would take the largest.
    const patch = { src: url, srcset: srcset || null, width, height, alt: alt || null };
    const sizes = srcset !== "" && attribute(selected, "sizes") === undefined ? { sizes: "100vw" } : {};
    const { sync, place } = selected;
    const input = { nodeId: place.node, patch: { ...patch, ...sizes } };
    const { ops } = await sync.plan("updateNodeProps", { input, change: newChangeId() });
    sync.act(texts.summaries.image, [...ops, ...otherSources(selected)]);
  }
  return (
    <>
      <PictureField label={texts.image.title} address={src} onPick={show} />
      <AltField selected={selected} />
    </>
  );
}

/** In a `picture`, sources go before the image and would still show what was there. */
function otherSources({ sync, place, node }: Selected): Op[] {
  const parent = node.path.at(-1);
  if (parent?.tag !== "picture") return [];
  const sources = sync
    .copy()
    .layers(place.body, parent.id)
    .filter(({ tag }) => tag === "source");
  return sources.map(({ id }) => ({ op: "remove", entity: { type: "node", body: place.body, node: id } }));
}

function AltField({ selected }: SectionProps) {
  const alt = attribute(selected, "alt");
  const draft = useDraft({
    value: alt ?? "",
    multiline: true,
    guarded: true,
    save: (text) => setProps(selected, { alt: text.trim() || null }, texts.summaries.alt),
  });
  const decoration = alt === "";
  const decorate = (only: boolean) => void setProps(selected, { alt: only ? "" : null }, texts.summaries.alt);
  return (
    <>
      <Row
        label={texts.image.alt}
        over
        error={draft.error}
        hint={alt === undefined && draft.text === "" ? texts.image.altMissing : texts.image.altHint}
      >
        {(ids) => (
          <textarea
            {...ids}
            {...draft.field}
            className={styles.area}
            rows={2}
            disabled={decoration}
            value={draft.text}
            onChange={(event) => draft.change(event.target.value)}
          />
        )}
      </Row>
      <Conflict draft={draft} theirs={alt ?? ""} />
      <label className={styles.check}>
        <input type="checkbox" checked={decoration} onChange={(event) => decorate(event.target.checked)} />
        <span>
          {texts.image.decorative}
          <small>{texts.image.decorativeHint}</small>
        </span>
      </label>
    </>
  );
}
