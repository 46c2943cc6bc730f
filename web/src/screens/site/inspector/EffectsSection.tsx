import { words } from "../../../glossary";
import { ChoiceRow } from "./ChoiceRow";
import type { SectionProps } from "./element";
import { SizeRow } from "./SizeField";

const texts = words.design.effects;

const SHADOWS = {
  none: texts.shadows.none,
  "0 1px 3px rgb(0 0 0 / 20%)": texts.shadows.small,
  "0 6px 18px rgb(0 0 0 / 16%)": texts.shadows.medium,
  "0 18px 48px rgb(0 0 0 / 24%)": texts.shadows.large,
} as const;

/** The same as browsers spell them. */
const COMPUTED: Readonly<Record<string, string>> = {
  "rgba(0, 0, 0, 0.2) 0px 1px 3px 0px": texts.shadows.small,
  "rgba(0, 0, 0, 0.16) 0px 6px 18px 0px": texts.shadows.medium,
  "rgba(0, 0, 0, 0.24) 0px 18px 48px 0px": texts.shadows.large,
};

/** Shadow and opacity. */
export function EffectsSection({ selected }: SectionProps) {
  return (
    <>
      <ChoiceRow
        selected={selected}
        property="box-shadow"
        label={texts.shadow}
        options={SHADOWS}
        inForce={(computed) => COMPUTED[computed]}
      />
      <SizeRow
        selected={selected}
        property="opacity"
        label={texts.opacity}
        steps={[]}
        read={opacityFrom}
        problem={texts.badOpacity}
        placeholder={percentOf(selected.inForce.value("opacity"))}
      />
    </>
  );
}

/** An opacity from what a person writes: a share of 1, or of 100 with a sign or above 1. */
export function opacityFrom(text: string): string | undefined {
  const [, number, sign] = /^(\d+\.?\d*|\.\d+)\s*(%?)$/.exec(text.trim()) ?? [];
  if (number === undefined) return undefined;
  const share = sign === "%" || Number(number) > 1 ? Number(number) / 100 : Number(number);
  return share <= 1 ? String(Number(share.toFixed(4))) : undefined;
}

function percentOf(computed: string): string {
  return computed === "" ? "" : `${Math.round(Number(computed) * 100)}%`;
}
