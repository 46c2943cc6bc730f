import { type KeyboardEvent, type RefObject, useEffect, useState } from "react";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import { type Listbox, useListbox } from "../../parts/listbox/use-listbox";
import type { PageEntry } from "../../site/model";
import { pagesOfSite } from "../../site/open-sync";
import styles from "./Composer.module.css";

const SHOWN_MAX = 8;

export interface MentionList {
  pages: readonly PageEntry[];
  listbox: Listbox<PageEntry>;
  /**
   * What the text field says of the list, while there is one. A <textarea> that is always a combobox would be read as a field of one
   * line, so it is one only while it offers something.
   */
  field: Partial<Listbox<PageEntry>["field"]>;
  /** Looks whether a page is being mentioned where somebody writes. */
  look(field: HTMLTextAreaElement): void;
  pick(page: PageEntry): void;
  /** Returns whether the key was for the list. */
  onKeyDown(event: KeyboardEvent): boolean;
}

/** Pages by name while somebody writes `@` and its beginning. */
export function useMentions(field: RefObject<HTMLTextAreaElement | null>): MentionList {
  const [wanted, setWanted] = useState<{ from: number; text: string }>();
  const [all, setAll] = useState<readonly PageEntry[]>([]);
  const isWanted = wanted !== undefined;
  useEffect(() => {
    if (isWanted) pagesOfSite().then(setAll, () => setAll([]));
  }, [isWanted]);
  const pages = wanted === undefined ? [] : fitting(all, wanted.text);
  const listbox = useListbox({ options: pages, keyOf: ({ id }) => id, onPick: pick, pickKeys: ["Enter", "Tab"] });

  function pick({ title }: PageEntry) {
    if (wanted === undefined) return;
    const { draft } = agent.get();
    const before = draft.slice(0, wanted.from) + words.agent.mention(title);
    const rest = draft.slice(wanted.from + wanted.text.length + 1);
    agent.set({ draft: `${before}${rest.startsWith(" ") ? "" : " "}${rest}` });
    setWanted(undefined);
    // React writes the text first; the caret goes behind the name then.
    requestAnimationFrame(() => field.current?.setSelectionRange(before.length + 1, before.length + 1));
    field.current?.focus();
  }

  return {
    pages,
    listbox,
    field: pages.length > 0 ? listbox.field : {},
    look({ value, selectionStart }) {
      const [, text] = /(?:^|\s)@([^\s@]{0,40})$/.exec(value.slice(0, selectionStart)) ?? [];
      listbox.reset();
      setWanted(text === undefined ? undefined : { from: selectionStart - text.length - 1, text });
    },
    pick,
    onKeyDown(event) {
      if (listbox.onKeyDown(event)) return true;
      if (event.key !== "Escape" || pages.length === 0) return false;
      setWanted(undefined);
      event.preventDefault();
      return true;
    },
  };
}

function fitting(pages: readonly PageEntry[], text: string): PageEntry[] {
  const wanted = text.toLowerCase();
  const fits = ({ title, permalink }: PageEntry) => `${title} ${permalink}`.toLowerCase().includes(wanted);
  return pages.filter(fits).slice(0, SHOWN_MAX);
}

/** The list over the text field; the focus stays in the field. */
export function Mentions({ mentions: { pages, listbox, pick } }: { mentions: MentionList }) {
  return (
    <div
      id={listbox.listId}
      role="listbox"
      aria-label={words.agent.mentions}
      className={styles.mentions}
      hidden={pages.length === 0}
    >
      {pages.map((page) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the text field operate the list.
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field.
        <div
          key={page.id}
          id={listbox.idOf(page)}
          role="option"
          aria-selected={page === listbox.active}
          // The field must not lose the focus before the click arrives.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(page)}
        >
          {page.title} <small>{page.permalink}</small>
        </div>
      ))}
    </div>
  );
}
