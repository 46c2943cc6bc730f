import { words } from "../../../glossary";
import { tokenNamed } from "../../../site/site-tokens";
import { ColorRow } from "./ColorRow";
import { own, type SectionProps, type Selected, setOwn } from "./element";
import styles from "./Inspector.module.css";
import { Row } from "./Row";
import { SizeRow } from "./SizeField";

const texts = words.inspector;

const PICTURES = new Set(["img", "picture", "video", "iframe", "hr"]);

/** Colours, fonts, sizes of type, borders and corners. */
export function LookSection({ selected }: SectionProps) {
  const hasBorder = selected.inForce("border-top-style") !== "none" || own(selected, "border-style") !== undefined;
  const holdsText = !PICTURES.has(selected.node.tag ?? "");
  const bordered = hasBorder ? {} : { "border-style": "solid" };
  return (
    <>
      {holdsText && <ColorRow selected={selected} property="color" label={texts.color} />}
      <ColorRow selected={selected} property="background-color" label={texts.background} />
      {holdsText && (
        <>
          <FontRow selected={selected} />
          <SizeRow selected={selected} property="font-size" label={texts.size} steps={selected.tokens.typography} />
        </>
      )}
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

function FontRow({ selected }: SectionProps) {
  const { fonts } = selected.tokens;
  const said = own(selected, "font-family") ?? "";
  const isOther = said !== "" && tokenNamed(fonts, said) === undefined;
  return (
    <Row label={texts.font} hint={said === "" ? texts.inherited(fontInForce(selected)) : undefined}>
      {(ids) => (
        <select
          {...ids}
          className={styles.select}
          value={said}
          onChange={(event) => setOwn(selected, { "font-family": event.target.value || undefined }, texts.font)}
        >
          <option value="">{texts.asInherited}</option>
          {fonts.map((font) => (
            <option key={font.ref} value={font.ref}>
              {font.name}
            </option>
          ))}
          {isOther && <option value={said}>{texts.otherValue(said)}</option>}
        </select>
      )}
    </Row>
  );
}

/** The font in force by the name the site gives it, or its first family. */
function fontInForce({ tokens, inForce }: Selected): string {
  const plain = (families: string) => families.replace(/["']/g, "").replace(/,\s*/g, ", ").toLowerCase();
  const families = inForce("font-family");
  const token = tokens.fonts.find(({ value }) => plain(value) === plain(families));
  return token?.name ?? (families.split(",")[0]?.replace(/["']/g, "") || "…");
}
