import { words } from "../../../glossary";
import { ColorRow } from "./ColorRow";
import { own, type SectionProps } from "./element";
import { SizeRow } from "./SizeField";

const texts = words.inspector;

/** Background, border and corners. */
export function AppearanceSection({ selected }: SectionProps) {
  const inForce = selected.inForce.value("border-top-style");
  const hasBorder = (inForce !== "none" && inForce !== "") || own(selected, "border-style") !== undefined;
  const bordered = hasBorder ? {} : { "border-style": "solid" };
  return (
    <>
      <ColorRow selected={selected} property="background-color" label={texts.background} />
      <ColorRow
        selected={selected}
        property="border-color"
        label={texts.border}
        isIdle={!hasBorder}
        // A colour alone draws no border.
        along={() => (hasBorder ? {} : { ...bordered, "border-width": "1px" })}
      />
      <SizeRow
        selected={selected}
        property="border-width"
        label={texts.borderWidth}
        steps={[]}
        along={() => bordered}
      />
      <SizeRow selected={selected} property="border-radius" label={texts.radius} steps={selected.tokens.spacing} />
    </>
  );
}
