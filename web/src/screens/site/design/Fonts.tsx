import { words } from "../../../glossary";
import type { Sync } from "../../../site/sync";
import styles from "./Design.module.css";
import { FontToken } from "./FontToken";
import { familiesOf, useSiteFonts } from "./families";
import { NewToken } from "./NewToken";
import type { ItemIds } from "./use-items";

const texts = words.design.fonts;

export function Fonts({ sync, ids }: { sync: Sync; ids: Pick<ItemIds, "fonts" | "families"> }) {
  const families = familiesOf(sync, ids.families);
  useSiteFonts(families);
  return (
    <>
      <ul className={styles.tokens}>
        {ids.fonts.map((id) => (
          <FontToken key={id} sync={sync} id={id} families={families} />
        ))}
      </ul>
      <NewToken
        label={texts.newFont}
        action={texts.add}
        onAdd={(name) => {
          const input = { tokens: [{ name, fallback: "system-ui, sans-serif" }] };
          return sync.run("set_font_tokens", input, { summary: words.design.summaries.fonts });
        }}
      />
    </>
  );
}
