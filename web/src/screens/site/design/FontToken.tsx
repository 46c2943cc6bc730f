import { useId, useState } from "react";
import { words } from "../../../glossary";
import { Confirm } from "../../../parts/dialog/Confirm";
import type { Op } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import styles from "./Design.module.css";
import { type Family, SYSTEM_STACKS, specimenFamily } from "./families";
import { GoogleFont } from "./GoogleFont";
import { TokenInput } from "./TokenInput";
import { placeWords, type TokenUses, usesOf } from "./token-uses";
import { itemEntity } from "./use-items";

const texts = words.design.fonts;
const ABOUT = { summary: words.design.summaries.fonts };

interface FontTokenProps {
  sync: Sync;
  id: string;
  families: readonly Family[];
}

/** A role such as headings: a specimen, the font it has, and where others come from. */
export function FontToken({ sync, id, families }: FontTokenProps) {
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState<TokenUses>();
  const panel = useId();
  const entity = itemEntity("fonts", id);
  const read = (field: string) => sync.copy().field(entity, field);
  const name = read("name");
  if (typeof name !== "string") return null;
  const [variable, family, fallback] = ["variable", "family", "fallback"].map((field) => String(read(field) ?? ""));
  const set = (values: object) => sync.run("set_font_tokens", { tokens: [{ name, variable, ...values }] }, ABOUT);
  const put = (field: string, value: string | null): Op => ({ op: "put", entity, field, value });
  const choose = (chosen: string) => {
    if (chosen.startsWith(FAMILY)) void set({ familyId: chosen.slice(FAMILY.length) });
    else sync.act(ABOUT.summary, [put("family", null), put("fallback", chosen)]);
  };
  const remove = () => sync.act(words.design.summaries.remove(name), [{ op: "remove", entity }]);
  async function askToRemove(): Promise<void> {
    const uses = await usesOf(sync, variable ?? "");
    if (uses.count === 0) remove();
    else setAsking(uses);
  }
  return (
    <li className={styles.token}>
      <div className={styles.fontHead}>
        <button
          type="button"
          className={styles.name}
          aria-expanded={open}
          aria-controls={panel}
          aria-label={words.design.colors.details(name)}
          onClick={() => setOpen(!open)}
        >
          {name}
        </button>
        <FamilySelect {...{ name, families, choose }} family={family ?? ""} fallback={fallback ?? ""} />
      </div>
      <p className={styles.specimen} style={{ fontFamily: specimenFamily(family ?? "", fallback ?? "") }}>
        {texts.specimen}
      </p>
      {open && (
        <div id={panel} className={styles.details}>
          <GoogleFont role={name} onInstall={(googleFamily) => set({ googleFamily })} />
          <div className={styles.field}>
            <span>{texts.fallback}</span>
            <TokenInput label={texts.fallbackOf(name)} value={fallback ?? ""} onSet={(fallback) => set({ fallback })} />
          </div>
          <button type="button" className={styles.remove} onClick={() => void askToRemove()}>
            {texts.remove(name)}
          </button>
        </div>
      )}
      {asking !== undefined && (
        <Confirm
          title={words.design.colors.removeAsk(name)}
          verb={texts.removeVerb}
          action={async () => remove()}
          onClose={() => setAsking(undefined)}
        >
          {words.design.colors.uses(asking.count)}. {words.design.colors.usedIn(placeWords(asking))}
        </Confirm>
      )}
    </li>
  );
}

/** Tells a family of the site from a stack in the value of an option. */
const FAMILY = "family:";

interface FamilySelectProps {
  name: string;
  family: string;
  fallback: string;
  families: readonly Family[];
  choose(chosen: string): void;
}

function FamilySelect({ name, family, fallback, families, choose }: FamilySelectProps) {
  const current = family === "" ? fallback : `${FAMILY}${family}`;
  const isKnown = family === "" ? SYSTEM_STACKS[fallback] !== undefined : families.some((one) => one.name === family);
  return (
    <select
      className={styles.select}
      aria-label={texts.familyOf(name)}
      value={current}
      onChange={(event) => choose(event.target.value)}
    >
      {!isKnown && <option value={current}>{family || texts.custom(fallback)}</option>}
      {families.length > 0 && (
        <optgroup label={texts.installed}>
          {families.map((one) => (
            <option key={one.name} value={`${FAMILY}${one.name}`}>
              {one.name}
            </option>
          ))}
        </optgroup>
      )}
      <optgroup label={texts.system}>
        {Object.entries(SYSTEM_STACKS).map(([stack, label]) => (
          <option key={stack} value={stack}>
            {label}
          </option>
        ))}
      </optgroup>
    </select>
  );
}
