import { words } from "../../../glossary";
import { IconButton } from "../../../parts/button/Button";
import type { Sync } from "../../../site/sync";
import styles from "./Look.module.css";
import { NewToken } from "./NewToken";
import { TokenInput } from "./TokenInput";
import { itemEntity } from "./use-items";

const texts = words.look;
const ABOUT = { summary: texts.summaries.fonts };

export function Fonts({ sync, ids }: { sync: Sync; ids: readonly string[] }) {
  return (
    <>
      <ul className={styles.tokens}>
        {ids.map((id) => (
          <FontToken key={id} sync={sync} id={id} />
        ))}
      </ul>
      {ids.length > 0 && <p className={styles.hint}>{texts.familyHint}</p>}
      <NewToken
        label={texts.newFont}
        action={texts.addFont}
        onAdd={(name) => sync.run("set_font_tokens", { tokens: [{ name, fallback: "system-ui, sans-serif" }] }, ABOUT)}
      />
    </>
  );
}

function FontToken({ sync, id }: { sync: Sync; id: string }) {
  const entity = itemEntity("fonts", id);
  const read = (field: string) => sync.copy().field(entity, field);
  const name = read("name");
  if (typeof name !== "string") return null;
  const variable = String(read("variable") ?? "");
  const set = (values: object) => sync.run("set_font_tokens", { tokens: [{ name, variable, ...values }] }, ABOUT);
  const setFamily = async (googleFamily: string) => {
    // Without a family only what stands in is left, which no tool says.
    if (googleFamily === "") sync.act(ABOUT.summary, [{ op: "put", entity, field: "family", value: null }]);
    else await set({ googleFamily });
  };
  const remove = () => sync.act(texts.summaries.remove, [{ op: "remove", entity }]);
  return (
    <li className={styles.color}>
      <span className={styles.name}>{name}</span>
      <TokenInput
        label={texts.familyOf(name)}
        placeholder={texts.family}
        value={String(read("family") ?? "")}
        onSet={setFamily}
      />
      <TokenInput
        label={texts.fallbackOf(name)}
        placeholder={texts.fallback}
        value={String(read("fallback") ?? "")}
        onSet={(fallback) => set({ fallback })}
      />
      <IconButton label={texts.remove(name)} icon="close" onClick={remove} />
    </li>
  );
}
