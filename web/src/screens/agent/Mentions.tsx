import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from "react";
import { agent } from "../../app-state";
import { words } from "../../glossary";
import type { PageEntry } from "../../site/model";
import { pagesOfSite } from "../../site/open-sync";
import styles from "./Composer.module.css";

const SHOWN_MAX = 8;

export interface MentionList {
  pages: readonly PageEntry[];
  active: number;
  id: string;
  /** What the text field says of the list. */
  field: {
    "aria-controls": string;
    "aria-autocomplete": "list";
    "aria-activedescendant"?: string;
  };
  /** Looks whether a page is being mentioned where somebody writes. */
  look(field: HTMLTextAreaElement): void;
  pick(page: PageEntry): void;
  /** Tells whether the key was for the list. */
  onKeyDown(event: KeyboardEvent): boolean;
}

/** Pages by name while somebody writes `@` and its beginning. */
export function useMentions(field: RefObject<HTMLTextAreaElement | null>): MentionList {
  const id = useId();
  const [wanted, setWanted] = useState<{ from: number; text: string }>();
  const [all, setAll] = useState<readonly PageEntry[]>([]);
  const [active, setActive] = useState(0);
  const isWanted = wanted !== undefined;
  useEffect(() => {
    if (isWanted) pagesOfSite().then(setAll, () => setAll([]));
  }, [isWanted]);
  const pages = wanted === undefined ? [] : fitting(all, wanted.text);
  const at = Math.min(active, Math.max(0, pages.length - 1));

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
    active: at,
    id,
    field: {
      "aria-controls": id,
      "aria-autocomplete": "list",
      "aria-activedescendant": pages.length > 0 ? `${id}-${at}` : undefined,
    },
    look({ value, selectionStart }) {
      const [, text] = /(?:^|\s)@([^\s@]{0,40})$/.exec(value.slice(0, selectionStart)) ?? [];
      setActive(0);
      setWanted(text === undefined ? undefined : { from: selectionStart - text.length - 1, text });
    },
    pick,
    onKeyDown(event) {
      const page = pages[at];
      if (page === undefined) return false;
      if (event.key === "ArrowDown") setActive((at + 1) % pages.length);
      else if (event.key === "ArrowUp") setActive((at + pages.length - 1) % pages.length);
      else if (event.key === "Enter" || event.key === "Tab") pick(page);
      else if (event.key === "Escape") setWanted(undefined);
      else return false;
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
export function Mentions({ mentions: { pages, active, id, pick } }: { mentions: MentionList }) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label={words.agent.mentions}
      className={styles.mentions}
      hidden={pages.length === 0}
    >
      {pages.map((page, position) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the text field operate the list.
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field.
        <div
          key={page.id}
          id={`${id}-${position}`}
          role="option"
          aria-selected={position === active}
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
