import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { Count } from "../count/Count";
import styles from "./Tabs.module.css";

export interface Tab {
  path: string;
  label: string;
  /** How many things there wait for somebody. */
  count?: number;
  /** Addresses that belong to the tab with everything below them; its own counts without. */
  covers?: readonly string[];
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  /** Parts of a part: smaller, and without a line under them. */
  inner?: boolean;
}

/** The parts of a screen, each with an address of its own. */
export function Tabs({ label, tabs, inner = false }: TabsProps) {
  const [location] = useLocation();
  const ref = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address has another current tab.
  useEffect(() => {
    const nav = ref.current;
    const current = nav?.querySelector<HTMLElement>("[aria-current]");
    if (nav && current) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
  }, [location]);
  return (
    <nav ref={ref} className={inner ? styles.inner : styles.tabs} aria-label={label}>
      <ul>
        {tabs.map(({ path, label, count = 0, covers = [] }) => (
          <li key={path}>
            <Link href={path} aria-current={location === path || isUnder(location, covers) ? "page" : undefined}>
              {label}
              {count > 0 && (
                <span className={styles.count}>
                  <Count value={count} />
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Whether an address is one of these or below one. */
export function isUnder(location: string, paths: readonly string[]): boolean {
  return paths.some((path) => location === path || location.startsWith(`${path}/`));
}
