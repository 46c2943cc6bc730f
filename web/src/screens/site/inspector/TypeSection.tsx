import { words } from "../../../glossary";
import { tokenNamed } from "../../../site/site-tokens";
import { ChoiceRow } from "./ChoiceRow";
import { ColorRow } from "./ColorRow";
import { own, type SectionProps, type Selected, setOwn } from "./element";
import styles from "./Inspector.module.css";
import { OriginNote } from "./OriginNote";
import { Row } from "./Row";
import { SizeRow } from "./SizeField";

const texts = words.inspector;
const type = words.design.type;
const NO_STEPS: readonly [] = [];

/** Font, size and everything else about letters. */
export function TypeSection({ selected }: SectionProps) {
  return (
    <>
      <ColorRow selected={selected} property="color" label={texts.color} />
      <FontRow selected={selected} />
      <SizeRow selected={selected} property="font-size" label={texts.size} steps={selected.tokens.typography} />
      <ChoiceRow selected={selected} property="font-weight" label={type.weight} options={type.weights} />
      <SizeRow
        selected={selected}
        property="line-height"
        label={type.lineHeight}
        steps={NO_STEPS}
        read={(text) => (CSS.supports("line-height", text.trim()) ? text.trim() : undefined)}
      />
      <SizeRow selected={selected} property="letter-spacing" label={type.letterSpacing} steps={NO_STEPS} />
      <ChoiceRow
        selected={selected}
        property="text-align"
        label={type.align}
        options={type.aligns}
        inForce={(computed) => ({ left: type.aligns.start, right: type.aligns.end })[computed]}
      />
      <ChoiceRow selected={selected} property="text-transform" label={type.transform} options={type.transforms} />
      <ChoiceRow
        selected={selected}
        property="text-decoration-line"
        label={type.decoration}
        options={type.decorations}
      />
    </>
  );
}

function FontRow({ selected }: SectionProps) {
  const { fonts } = selected.tokens;
  const said = own(selected, "font-family") ?? "";
  const isOther = said !== "" && tokenNamed(fonts, said) === undefined;
  const note = <OriginNote selected={selected} property="font-family" label={texts.font} />;
  return (
    <Row label={texts.font} origin={note}>
      {(ids) => (
        <select
          {...ids}
          className={styles.select}
          data-own={said !== ""}
          value={said}
          onChange={(event) => void setOwn(selected, { "font-family": event.target.value || undefined }, texts.font)}
        >
          <option value="">{fontInForce(selected)}</option>
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
  const families = inForce.value("font-family");
  const token = tokens.fonts.find(({ value }) => plain(value) === plain(families));
  return token?.name ?? (families.split(",")[0]?.replace(/["']/g, "") || texts.asInherited);
}
