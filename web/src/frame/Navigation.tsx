import { Link, useLocation } from "wouter";
import { words } from "../glossary";
import { useInbox } from "../hooks/use-inbox";
import { useSession } from "../hooks/use-session";
import { Count } from "../parts/count/Count";
import { Icon, type IconName } from "../parts/icon/Icon";
import { allowed, type Gate } from "../permissions";
import { waitingIn } from "../state/inbox";
import styles from "./Frame.module.css";

interface Entry extends Gate {
  path: string;
  label: string;
  icon: IconName;
}

const ENTRIES: readonly Entry[] = [
  { path: "/", label: words.pages.home, icon: "home" },
  { path: "/site", label: words.pages.site, icon: "site", needs: "site.read" },
  { path: "/approvals", label: words.pages.approvals, icon: "approve", needs: "tools.read" },
  { path: "/activity", label: words.pages.activity, icon: "activity", needs: "settings.manage" },
  { path: "/settings", label: words.pages.settings, icon: "settings" },
];

export function Navigation() {
  const { capabilities } = useSession();
  const [location] = useLocation();
  const waiting = waitingIn(useInbox());
  return (
    <nav aria-label="Main">
      <ul className={styles.nav}>
        {allowed(capabilities, ENTRIES).map((entry) => (
          <li key={entry.path}>
            <Link href={entry.path} aria-current={isCurrent(entry.path, location) ? "page" : undefined}>
              <Icon name={entry.icon} />
              {entry.label}
              {entry.path === "/approvals" && <Count value={waiting} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isCurrent(path: string, location: string): boolean {
  return path === "/" ? location === "/" : location === path || location.startsWith(`${path}/`);
}
