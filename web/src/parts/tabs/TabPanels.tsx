import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import styles from "./TabPanels.module.css";

export interface TabPanel<K extends string> {
  key: K;
  label: string;
  content: ReactNode;
}

interface TabPanelsProps<K extends string> {
  label: string;
  panels: readonly TabPanel<K>[];
  current: K;
  onChange(key: K): void;
}

/** Parts of a panel, one of which is shown. Arrow keys, Home and End go from tab to tab. */
export function TabPanels<K extends string>({ label, panels, current, onChange }: TabPanelsProps<K>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = panels.findIndex(({ key }) => key === current);

  function onKeyDown(event: KeyboardEvent) {
    const count = panels.length;
    const to = { ArrowRight: (at + 1) % count, ArrowLeft: (at - 1 + count) % count, Home: 0, End: count - 1 }[
      event.key
    ];
    const next = to === undefined ? undefined : panels[to];
    if (next === undefined) return;
    event.preventDefault();
    onChange(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  }

  return (
    <div className={styles.tabs}>
      <div className={styles.list} role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {panels.map(({ key, label }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            data-key={key}
            aria-selected={key === current}
            aria-controls={key === current ? `${id}-panel` : undefined}
            tabIndex={key === current ? 0 : -1}
            onClick={() => onChange(key)}
          >
            {label}
          </button>
        ))}
      </div>
      <div className={styles.panel} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {panels[at]?.content}
      </div>
    </div>
  );
}
