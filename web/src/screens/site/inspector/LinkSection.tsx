import { useState } from "react";
import { words } from "../../../glossary";
import { Segments } from "../../../parts/segments/Segments";
import type { PageEntry } from "../../../site/model";
import { attribute, put, type SectionProps, type Selected, setProps } from "./element";
import styles from "./Inspector.module.css";
import { linkAddress } from "./link-address";
import { Conflict, Row } from "./Row";
import { useDraft } from "./use-draft";

const texts = words.inspector.link;
type Way = "page" | "address";

const WAYS = [
  { value: "page", label: texts.toPage },
  { value: "address", label: texts.toAddress },
] as const;

/** Where a link leads: to a page, which it then follows, or to an address. */
export function LinkSection({ selected }: SectionProps) {
  const pages = selected.sync.copy().pages();
  const current = pageOf(selected, pages);
  const href = hrefOf(selected);
  // What was chosen holds until the link leads elsewhere.
  const [chosen, setChosen] = useState<{ href: string; way: Way }>();
  const natural: Way = current === undefined && href !== "" ? "address" : "page";
  const way = chosen?.href === href ? chosen.way : natural;
  const opensTab = attribute(selected, "target") === "_blank";
  return (
    <>
      <Segments title={texts.title} options={WAYS} chosen={way} onChoose={(way) => setChosen({ href, way })} />
      {way === "page" ? (
        <PagePicker selected={selected} pages={pages} current={current} />
      ) : (
        <AddressField selected={selected} />
      )}
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={opensTab}
          onChange={(event) =>
            void setProps(selected, { target: event.target.checked ? "_blank" : null }, words.inspector.summaries.link)
          }
        />
        {texts.newTab}
      </label>
    </>
  );
}

const hrefOf = (selected: Selected) => attribute(selected, "href") ?? "";
const isHome = (page: PageEntry) => page.permalink === "/";

/** The page that the link leads to: the one it knows, or the home page by its address. */
function pageOf(selected: Selected, pages: readonly PageEntry[]): PageEntry | undefined {
  const href = selected.node.attrs.find(({ name }) => name === "href");
  if (href === undefined) return undefined;
  const { target } = href;
  if (target?.type === "page") return pages.find(({ id }) => id === target.id);
  return href.value.replace(/[?#].*$/, "") === "/" ? pages.find(isHome) : undefined;
}

interface PagePickerProps {
  selected: Selected;
  pages: readonly PageEntry[];
  current: PageEntry | undefined;
}

function PagePicker({ selected, pages, current }: PagePickerProps) {
  function choose(id: string) {
    const page = pages.find((page) => page.id === id);
    if (page === undefined) return;
    // The home page is whichever stands at the root; every other page is known by its id, so that the link follows it.
    const value = isHome(page) ? "/" : { value: page.permalink, target: { type: "page", id } };
    put(selected, "attrs.href", value, words.inspector.summaries.link);
  }
  const hint = current === undefined ? undefined : isHome(current) ? texts.home : texts.follows;
  return (
    <Row label={texts.page} hint={hint}>
      {(ids) => (
        <select
          {...ids}
          className={styles.select}
          value={current?.id ?? ""}
          onChange={(event) => choose(event.target.value)}
        >
          {current === undefined && <option value="">{texts.choose}</option>}
          {pages
            .filter(({ isTemplate }) => !isTemplate)
            .map((page) => (
              <option key={page.id} value={page.id}>
                {`${page.title} (${page.permalink})`}
              </option>
            ))}
        </select>
      )}
    </Row>
  );
}

function AddressField({ selected }: SectionProps) {
  const value = hrefOf(selected);
  const draft = useDraft({
    value,
    guarded: true,
    save: (text) => setProps(selected, { href: linkAddress(text) || null }, words.inspector.summaries.link),
  });
  return (
    <>
      <Row label={texts.address} error={draft.error} hint={texts.addressHint}>
        {(ids) => (
          <input
            {...ids}
            {...draft.field}
            className={styles.input}
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
            value={draft.text}
            onChange={(event) => draft.change(event.target.value)}
          />
        )}
      </Row>
      <Conflict draft={draft} theirs={value} />
    </>
  );
}
