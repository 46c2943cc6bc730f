import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { words } from "../../../glossary";
import { useModal } from "../../../parts/dialog/use-modal";
import { Icon } from "../../../parts/icon/Icon";
import { useListbox } from "../../../parts/listbox/use-listbox";
import type { PageEntry } from "../../../site/model";
import { select } from "../../../site/selection";
import type { Sync } from "../../../site/sync";
import { Keys } from "../Keys";
import { useActionList } from "../use-actions";
import styles from "./Palette.module.css";
import { allLayers, type Found, found } from "./results";

interface PaletteProps {
  sync: Sync;
  page: PageEntry;
  pages: readonly PageEntry[];
  onClose(): void;
}

/** Finds an action, a page or an element by a few letters and goes there, without a pointer. */
export function Palette({ sync, page, pages, onClose }: PaletteProps) {
  const actions = useActionList();
  const [, navigate] = useLocation();
  const [wanted, setWanted] = useState("");
  const layers = useMemo(() => allLayers(sync.copy(), page.id), [sync, page.id]);
  const results = found(wanted, {
    actions: actions.filter((action) => action.id !== "view.palette"),
    pages,
    layers,
    openPage: (to) => navigate(`/site/${to}`),
    pick: (layer) => select({ body: page.id, node: layer.id }),
  });
  const modal = useModal(onClose);
  const listbox = useListbox({ options: results, keyOf: ({ key }) => key, onPick: run });

  function run(result: Found) {
    // Closing first gives the focus back to where the action expects it.
    modal.ref.current?.close();
    onClose();
    result.run();
  }

  return (
    <dialog
      {...modal}
      className={styles.palette}
      aria-label={words.editor.actions.palette}
      onPointerDown={(event) => event.target === modal.ref.current && onClose()}
    >
      <div className={styles.field}>
        <Icon name="search" />
        <input
          type="text"
          {...listbox.field}
          aria-label={words.editor.actions.palette}
          placeholder={words.editor.palettePlaceholder}
          autoComplete="off"
          spellCheck={false}
          value={wanted}
          onChange={(event) => {
            setWanted(event.target.value);
            listbox.reset();
          }}
          onKeyDown={listbox.onKeyDown}
        />
      </div>
      <div className={styles.list} role="listbox" id={listbox.listId} aria-label={words.editor.actions.palette}>
        {results.map((result, index) => (
          <Option
            key={result.key}
            id={listbox.idOf(result)}
            result={result}
            heading={result.group === results[index - 1]?.group ? undefined : result.group}
            isChosen={result === listbox.active}
            onPick={() => run(result)}
          />
        ))}
      </div>
      {results.length === 0 && <p className={styles.nothing}>{words.editor.paletteNothing}</p>}
      <p className="visually-hidden" role="status">
        {wanted !== "" && words.editor.paletteResults(results.length)}
      </p>
    </dialog>
  );
}

interface OptionProps {
  id: string;
  result: Found;
  heading?: string;
  isChosen: boolean;
  onPick(): void;
}

function Option({ id, result, heading, isChosen, onPick }: OptionProps) {
  return (
    <>
      {heading !== undefined && (
        <div className={styles.heading} role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field, which has the focus for its options. */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and names the option it is at. */}
      <div id={id} role="option" aria-selected={isChosen} className={styles.option} onClick={onPick}>
        <span className={styles.icon}>{result.icon && <Icon name={result.icon} />}</span>
        <span className={styles.name}>
          {result.name}
          {result.detail !== undefined && <small>{result.detail}</small>}
        </span>
        <Keys keys={result.keys} />
      </div>
    </>
  );
}
