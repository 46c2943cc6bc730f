import { words } from "../../../glossary";
import { IconButton } from "../../../parts/button/Button";
import type { Sync } from "../../../site/sync";
import { Swatch } from "../inspector/ColorRow";
import styles from "./Look.module.css";
import { NewToken } from "./NewToken";
import { TokenInput } from "./TokenInput";
import { itemEntity } from "./use-items";

const texts = words.look;
const ABOUT = { summary: texts.summaries.colors };

export function Colors({ sync, ids }: { sync: Sync; ids: readonly string[] }) {
  return (
    <>
      {ids.length > 0 && (
        <div className={styles.columns} aria-hidden="true">
          <span>{texts.light}</span>
          <span>{texts.dark}</span>
        </div>
      )}
      <ul className={styles.tokens}>
        {ids.map((id) => (
          <ColorToken key={id} sync={sync} id={id} />
        ))}
      </ul>
      <NewToken
        label={texts.newColor}
        action={texts.addColor}
        onAdd={(name) => {
          const slug = name.toLowerCase().replace(/\s+/g, "-");
          return sync.run("set_color_tokens", { tokens: [{ slug, lightValue: "#4a6f5f" }] }, ABOUT);
        }}
      />
    </>
  );
}

function ColorToken({ sync, id }: { sync: Sync; id: string }) {
  const read = (field: string) => sync.copy().field(itemEntity("colors", id), field);
  const slug = read("slug");
  if (typeof slug !== "string") return null;
  const light = String(read("lightValue") ?? "");
  const dark = read("darkModeEnabled") === true ? String(read("darkValue") ?? "") : "";
  const set = (values: object) =>
    sync.run("set_color_tokens", { tokens: [{ slug, lightValue: light, ...values }] }, ABOUT);
  const remove = () => sync.act(texts.summaries.remove, [{ op: "remove", entity: itemEntity("colors", id) }]);
  return (
    <li className={styles.color}>
      <span className={styles.name}>
        <Swatch value={light} dark={dark || undefined} />
        {slug}
      </span>
      <TokenInput
        label={texts.lightOf(slug)}
        value={light}
        check={badColor}
        onSet={(lightValue) => set({ lightValue })}
      />
      <TokenInput
        label={texts.darkOf(slug)}
        placeholder={texts.dark}
        value={dark}
        check={(given) => (given === "" ? undefined : badColor(given))}
        onSet={(value) => set(value === "" ? { darkModeEnabled: false } : { darkValue: value, darkModeEnabled: true })}
      />
      <IconButton label={texts.remove(slug)} icon="close" onClick={remove} />
    </li>
  );
}

const badColor = (given: string) => (CSS.supports("color", given) ? undefined : words.inspector.badColor(given));
