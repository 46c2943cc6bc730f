import { useState } from "react";
import type { MediaItem } from "../../../generated/api";
import { words } from "../../../glossary";
import { PictureField } from "../../../parts/picture/PictureField";
import { attribute, type SectionProps, setProps } from "./element";
import styles from "./Inspector.module.css";
import { Conflict, Row } from "./Row";
import { useDraft } from "./use-draft";

const texts = words.inspector;

/** The picture itself, and what it says to those who do not see it. */
export function ImageSection({ selected }: SectionProps) {
  const src = attribute(selected, "src") ?? "";
  async function show(picture: MediaItem): Promise<void> {
    const { url, srcset, width, height, alt } = picture;
    const patch: Record<string, unknown> = { src: url, srcset: srcset || null, width, height };
    // The sizes said how wide another picture stood in the page, which holds for this one as well; without any, the browser
    // would take the largest.
    if (srcset && attribute(selected, "sizes") === undefined) patch.sizes = "100vw";
    // A description of another picture would be a lie.
    patch.alt = alt || null;
    await setProps(selected, patch, texts.summaries.image);
  }
  return (
    <>
      <PictureField label={texts.image.title} address={src} onPick={show} />
      <AltField selected={selected} />
    </>
  );
}

function AltField({ selected }: SectionProps) {
  const alt = attribute(selected, "alt");
  const [isDecorative, setDecorative] = useState(alt === "");
  const draft = useDraft({
    value: alt ?? "",
    multiline: true,
    guarded: true,
    save: (text) => setProps(selected, { alt: text.trim() || null }, texts.summaries.alt),
  });
  const decoration = isDecorative && (alt ?? "") === "";
  function decorate(only: boolean) {
    setDecorative(only);
    void setProps(selected, { alt: only ? "" : null }, texts.summaries.alt);
  }
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
