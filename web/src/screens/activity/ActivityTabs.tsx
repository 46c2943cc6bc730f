import { words } from "../../glossary";
import { useInbox } from "../../hooks/use-inbox";
import { useSession } from "../../hooks/use-session";
import { type Tab, Tabs } from "../../parts/tabs/Tabs";
import { allowed, type Gate } from "../../permissions";
import { waitingIn } from "../../state/inbox";

interface ActivityTab extends Gate, Tab {}

const { tabs } = words.activityPage;

/** The parts of Activity; what waits for a person has kept its own address. */
export const ACTIVITY_TABS: readonly ActivityTab[] = [
  { path: "/approvals", label: tabs.waiting, needs: "tools.read", covers: ["/approvals"] },
  { path: "/activity/changes", label: tabs.changes, needs: "site.read" },
  { path: "/activity/releases", label: tabs.releases, needs: "site.read" },
  { path: "/activity/runs", label: tabs.runs, needs: "tools.read" },
  { path: "/activity/log", label: tabs.log, needs: "settings.manage" },
];

export function ActivityTabs() {
  const { capabilities } = useSession();
  const waiting = waitingIn(useInbox());
  const shown = allowed(capabilities, ACTIVITY_TABS).map((tab) =>
    tab.path === "/approvals" ? { ...tab, count: waiting } : tab,
  );
  return <Tabs label={words.pages.activity} tabs={shown} />;
}
