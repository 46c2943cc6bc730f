import { Link, useLocation } from "wouter";
import { allowed, type Gate } from "../access/permissions";
import { words } from "../glossary";
import { useInbox } from "../hooks/use-inbox";
import { useSession } from "../hooks/use-session";
import { Count } from "../parts/count/Count";
import { Icon, type IconName } from "../parts/icon/Icon";
import { waitingIn } from "../state/inbox";
import styles from "./Frame.module.css";

interface Entry extends Gate {
  path: string;
  label: string;
  icon: IconName;
  /** Addresses elsewhere that belong to it. */
  also?: readonly string[];
}

const ENTRIES: readonly Entry[] = [
  { path: "/", label: words.pages.home, icon: "home" },
  { path: "/site", label: words.pages.site, icon: "site", needs: "site.read" },
  { path: "/content", label: words.pages.content, icon: "page", needs: "content.read" },
  { path: "/activity", label: words.pages.activity, icon: "activity", also: ["/approvals"] },
  { path: "/settings", label: words.pages.settings, icon: "settings", also: ["/ai", "/tools"] },
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
            <Link href={entry.path} title={entry.label} aria-current={isCurrent(entry, location) ? "page" : undefined}>
              <Icon name={entry.icon} />
              {entry.label}
              {entry.path === "/activity" && <Count value={waiting} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isCurrent({ path, also = [] }: Entry, location: string): boolean {
  if (path === "/") return location === "/";
  return [path, ...also].some((part) => location === part || location.startsWith(`${part}/`));
}
