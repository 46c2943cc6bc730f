import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { words } from "../../../glossary";
import { Icon } from "../../../parts/icon/Icon";
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
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const layers = useMemo(() => allLayers(sync.copy(), page.id), [sync, page.id]);
  const results = found(wanted, {
    actions: actions.filter((action) => action.id !== "view.palette"),
    pages,
    layers,
    openPage: (to) => navigate(`/site/${to}`),
    pick: (layer) => select({ body: page.id, node: layer.id }),
  });
  const chosen = results[Math.min(at, results.length - 1)];

  // A layout effect, because closing must happen before the element leaves the page for the focus to return.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  function run(result: Found | undefined) {
    if (result === undefined) return;
    // Closing first gives the focus back to where the action expects it.
    dialog.current?.close();
    onClose();
    result.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    const last = Math.max(results.length - 1, 0);
    const next = {
      ArrowDown: at >= last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      PageDown: Math.min(at + 8, last),
      PageUp: Math.max(at - 8, 0),
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setAt(next);
      document.getElementById(`${id}-${results[next]?.key}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(chosen);
    }
  }

  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={words.editor.actions.palette}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => event.target === dialog.current && onClose()}
    >
      <div className={styles.field}>
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && `${id}-${chosen.key}`}
          aria-autocomplete="list"
          aria-label={words.editor.actions.palette}
          placeholder={words.editor.palettePlaceholder}
          autoComplete="off"
          spellCheck={false}
          value={wanted}
          onChange={(event) => {
            setWanted(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={styles.list} role="listbox" id={`${id}-list`} aria-label={words.editor.actions.palette}>
        {results.map((result, index) => (
          <Option
            key={result.key}
            id={`${id}-${result.key}`}
            result={result}
            heading={result.group === results[index - 1]?.group ? undefined : result.group}
            isChosen={result === chosen}
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
