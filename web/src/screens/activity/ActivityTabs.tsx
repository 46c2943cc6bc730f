import { allowed, type Gate } from "../../access/permissions";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { type Tab, Tabs } from "../../parts/tabs/Tabs";

interface ActivityTab extends Gate, Tab {}

const { tabs } = words.activityPage;

/** The parts of Activity; what waits for a person has kept its own address. */
export const ACTIVITY_TABS: readonly ActivityTab[] = [
  { path: "/approvals", label: tabs.waiting, needs: "tools.read", covers: ["/approvals"] },
  { path: "/activity/changes", label: tabs.changes, needs: "site.read" },
  { path: "/activity/releases", label: tabs.releases, needs: "site.read" },
  { path: "/activity/runs", label: tabs.runs, needs: "tools.read" },
  { path: "/activity/missions", label: tabs.missions, needs: "tools.read", covers: ["/activity/missions"] },
  { path: "/activity/records", label: tabs.records, needs: "tools.read" },
  { path: "/activity/workflows", label: tabs.workflows, needs: "tools.read" },
  { path: "/activity/log", label: tabs.log, needs: "settings.manage" },
];

export function ActivityTabs() {
  const { capabilities } = useSession();
  return <Tabs label={words.pages.activity} tabs={allowed(capabilities, ACTIVITY_TABS)} />;
}
