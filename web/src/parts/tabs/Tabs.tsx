import { Link, useLocation } from "wouter";
import { Count } from "../count/Count";
import styles from "./Tabs.module.css";

export interface Tab {
  path: string;
  label: string;
  /** How many things there wait for somebody. */
  count?: number;
  /** Addresses below which the tab is the current one too, such as `/approvals/`. */
  covers?: string;
}

/** The parts of a screen, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [location] = useLocation();
  return (
    <nav className={styles.tabs} aria-label={label}>
      <ul>
        {tabs.map(({ path, label, count = 0, covers }) => (
          <li key={path}>
            <Link href={path} aria-current={isCurrent(location, path, covers) ? "page" : undefined}>
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

function isCurrent(location: string, path: string, covers: string | undefined): boolean {
  return location === path || (covers !== undefined && location.startsWith(covers));
}
