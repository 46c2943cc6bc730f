import { words } from "../../../glossary";
import { ChoiceRow } from "./ChoiceRow";
import type { SectionProps } from "./element";
import { SizeRow } from "./SizeField";

const texts = words.design.layout;

/** How the element lays out what is in it. */
export function LayoutSection({ selected }: SectionProps) {
  const display = selected.inForce.value("display");
  const isFlex = display.endsWith("flex");
  const isGrid = display.endsWith("grid");
  return (
    <>
      <ChoiceRow selected={selected} property="display" label={texts.display} options={texts.displays} />
      {isFlex && (
        <>
          <ChoiceRow selected={selected} property="flex-direction" label={texts.direction} options={texts.directions} />
          <ChoiceRow selected={selected} property="flex-wrap" label={texts.wrap} options={texts.wraps} />
        </>
      )}
      {isGrid && (
        <SizeRow
          selected={selected}
          property="grid-template-columns"
          label={texts.columns}
          steps={[]}
          read={columnsFrom}
          problem={texts.badColumns}
          placeholder={columnCount(selected.inForce.value("grid-template-columns"))}
        />
      )}
      {(isFlex || isGrid) && (
        <>
          <SizeRow selected={selected} property="gap" label={words.inspector.gap} steps={selected.tokens.spacing} />
          <ChoiceRow
            selected={selected}
            property="align-items"
            label={texts.align}
            options={texts.aligns}
            inForce={(computed) => (computed === "normal" ? texts.aligns.stretch : undefined)}
          />
          <ChoiceRow
            selected={selected}
            property="justify-content"
            label={texts.justify}
            options={texts.justifies}
            inForce={(computed) => (computed === "normal" ? texts.justifies.start : undefined)}
          />
        </>
      )}
    </>
  );
}

/** Tracks from what a person writes: a number of equal columns, or the tracks themselves. */
export function columnsFrom(text: string): string | undefined {
  const written = text.trim();
  const value = /^[1-9]\d?$/.test(written) ? `repeat(${written}, minmax(0, 1fr))` : written;
  return CSS.supports("grid-template-columns", value) ? value : undefined;
}

/** Computed tracks are lengths, of which only the number is worth telling. */
function columnCount(computed: string): string {
  return computed === "" || computed === "none" ? "" : String(computed.split(/\s+/).length);
}
