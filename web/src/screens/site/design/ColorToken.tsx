import { useId, useState } from "react";
import { words } from "../../../glossary";
import { Confirm } from "../../../parts/dialog/Confirm";
import type { Token } from "../../../site/site-tokens";
import type { Sync } from "../../../site/sync";
import { useVersion } from "../use-sync";
import { ColorInput } from "./ColorInput";
import { ContrastNote } from "./ContrastNote";
import styles from "./Design.module.css";
import { previewVariable } from "./preview-variable";
import { TokenInput } from "./TokenInput";
import { placeWords, type TokenUses, usesOf, useUses } from "./token-uses";
import { itemEntity } from "./use-items";

const texts = words.design.colors;

interface ColorTokenProps {
  sync: Sync;
  id: string;
  tokens: readonly Token[];
}

/** A colour of the site: its light value at hand, and everything else about it when it is opened. */
export function ColorToken({ sync, id, tokens }: ColorTokenProps) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  const read = (field: string) => sync.copy().field(itemEntity("colors", id), field);
  const slug = read("slug");
  if (typeof slug !== "string") return null;
  const light = String(read("lightValue") ?? "");
  const set = (values: object) => {
    const input = { tokens: [{ slug, lightValue: light, ...values }] };
    return sync.run("set_color_tokens", input, { summary: words.design.summaries.colors });
  };
  const dark = read("darkModeEnabled") === true ? String(read("darkValue") ?? "") : "";
  return (
    <li className={styles.token}>
      <div className={styles.tokenHead}>
        <button
          type="button"
          className={styles.name}
          aria-expanded={open}
          aria-controls={panel}
          aria-label={texts.details(slug)}
          onClick={() => setOpen(!open)}
        >
          {slug}
        </button>
        <ColorInput
          label={texts.lightOf(slug)}
          value={light}
          onSet={(lightValue) => set({ lightValue })}
          onPreview={(value) => previewVariable(slug, value)}
        />
      </div>
      {open && (
        <div id={panel} className={styles.details}>
          <div className={styles.field}>
            <span>{texts.dark}</span>
            <ColorInput
              label={texts.darkOf(slug)}
              value={dark}
              optional
              placeholder={texts.addDark}
              onSet={(value) =>
                set(value === "" ? { darkModeEnabled: false } : { darkValue: value, darkModeEnabled: true })
              }
            />
          </div>
          <Details sync={sync} id={id} slug={slug} tokens={tokens} />
        </div>
      )}
    </li>
  );
}

interface DetailsProps extends ColorTokenProps {
  slug: string;
}

function Details({ sync, id, slug, tokens }: DetailsProps) {
  const uses = useUses(sync, slug, useVersion(sync));
  const [asking, setAsking] = useState<TokenUses>();
  const token = tokens.find(({ name }) => name === slug);
  const rename = (newSlug: string) =>
    sync.run("rename_color_token", { slug, newSlug }, { summary: words.design.summaries.rename(slug, newSlug) });
  const remove = () =>
    sync.act(words.design.summaries.remove(slug), [{ op: "remove", entity: itemEntity("colors", id) }]);
  async function askToRemove(): Promise<void> {
    const found = await usesOf(sync, slug);
    if (found.count === 0) remove();
    else setAsking(found);
  }
  return (
    <>
      <div className={styles.field}>
        <span>{words.inspector.name}</span>
        <TokenInput
          label={texts.name(slug)}
          value={slug}
          // Half a name would be renamed everywhere, too.
          autosave={false}
          check={(name) => (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) ? undefined : texts.badName)}
          onSet={rename}
        />
      </div>
      {token !== undefined && (
        <div>
          <ContrastNote token={token} tokens={tokens} scheme="light" />
          {token.dark !== undefined && <ContrastNote token={token} tokens={tokens} scheme="dark" />}
        </div>
      )}
      <div className={styles.foot}>
        <span>{uses === undefined ? texts.counting : uses !== null && texts.uses(uses.count)}</span>
        <button type="button" className={styles.remove} onClick={() => void askToRemove()}>
          {texts.remove(slug)}
        </button>
      </div>
      {asking !== undefined && (
        <Confirm
          title={texts.removeAsk(slug)}
          verb={texts.removeVerb}
          action={async () => remove()}
          onClose={() => setAsking(undefined)}
        >
          {texts.uses(asking.count)}. {texts.usedIn(placeWords(asking))} {texts.removeWhat}
        </Confirm>
      )}
    </>
  );
}
