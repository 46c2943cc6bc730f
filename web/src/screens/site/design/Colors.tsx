import { words } from "../../../glossary";
import { tokensOf } from "../../../site/site-tokens";
import type { Sync } from "../../../site/sync";
import { ColorToken } from "./ColorToken";
import styles from "./Design.module.css";
import { NewToken } from "./NewToken";

const texts = words.design.colors;

/** What a new colour begins with, until a person picks theirs. */
const FIRST_VALUE = "#4a6f5f";

export function Colors({ sync, ids }: { sync: Sync; ids: readonly string[] }) {
  const tokens = tokensOf(sync.copy()).colors;
  return (
    <>
      <ul className={styles.tokens}>
        {ids.map((id) => (
          <ColorToken key={id} sync={sync} id={id} tokens={tokens} />
        ))}
      </ul>
      <NewToken
        label={texts.newColor}
        action={texts.add}
        onAdd={(name) => {
          const slug = name.toLowerCase().replace(/\s+/g, "-");
          const input = { tokens: [{ slug, lightValue: FIRST_VALUE }] };
          return sync.run("set_color_tokens", input, { summary: words.design.summaries.colors });
        }}
      />
    </>
  );
}
