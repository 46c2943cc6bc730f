import { useRef } from "react";
import { words } from "../../../glossary";
import type { TextPlace } from "../../../site/model";
import type { Expected } from "../../../site/outbox";
import type { SectionProps, Selected } from "./element";
import styles from "./Inspector.module.css";
import { Row } from "./Row";
import { useDraft } from "./use-draft";

/** The words of an element that holds nothing but words. */
export function TextSection({ selected }: SectionProps) {
  const { text } = selected.node;
  if (!text) return null;
  return <TextField key={text.node} selected={selected} text={text} />;
}

function TextField({ selected, text }: { selected: Selected; text: { node: string; value: string } }) {
  const { sync } = selected;
  const place: TextPlace = { body: selected.place.body, node: text.node };
  // As when writing on the page: the edit relies on the text as it was when it began, and the server says whether that holds.
  const base = useRef<Expected>(undefined);
  const draft = useDraft({
    value: text.value,
    multiline: true,
    save(value) {
      base.current = sync.putText(place, value, base.current ?? sync.textBase(place));
    },
  });
  return (
    <Row label={words.inspector.text} over>
      {(ids) => (
        <textarea
          {...ids}
          {...draft.field}
          className={styles.area}
          rows={2}
          value={draft.text}
          onFocus={() => {
            base.current = sync.textBase(place);
          }}
          onChange={(event) => draft.change(event.target.value)}
        />
      )}
    </Row>
  );
}
