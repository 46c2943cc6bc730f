import { useLocation } from "wouter";
import { allowed, type Gate } from "../../access/permissions";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { isUnder, type Tab, Tabs } from "../../parts/tabs/Tabs";

interface SettingsPart extends Gate, Tab {}

interface SettingsGroup {
  label: string;
  parts: readonly SettingsPart[];
}

const { pages, ai, openapi, tools } = words;

/** Everything that is set up, under the five headings people look for. AI and tools keep addresses of their own. */
const GROUPS: readonly SettingsGroup[] = [
  { label: pages.siteSettings, parts: [{ path: "/settings/site", label: pages.siteSettings, needs: "site.write" }] },
  {
    label: pages.people,
    parts: [
      { path: "/settings/people", label: pages.people, needs: "users.manage" },
      { path: "/settings/roles", label: pages.roles, needs: "users.manage" },
    ],
  },
  {
    label: pages.ai,
    parts: [
      { path: "/ai/providers", label: ai.tabs.providers, needs: "ai.providers.manage" },
      { path: "/ai/defaults", label: ai.tabs.defaults, needs: "ai.providers.manage" },
      { path: "/ai/audit", label: ai.tabs.audit, needs: "ai.audit.read" },
    ],
  },
  {
    label: pages.connections,
    parts: [
      { path: "/tools", label: tools.catalogue, needs: "tools.read", covers: ["/tools/tool"] },
      { path: "/tools/connected", label: tools.sources, needs: "tools.manage" },
      { path: "/tools/openapi", label: openapi.title, needs: "tools.manage", covers: ["/tools/openapi"] },
      { path: "/settings/tokens", label: pages.tokens },
    ],
  },
  { label: pages.system, parts: [{ path: "/settings/system", label: pages.system }] },
];

function groupsFor(capabilities: readonly string[]): SettingsGroup[] {
  return GROUPS.map(({ label, parts }) => ({ label, parts: allowed(capabilities, parts) })).filter(
    ({ parts }) => parts.length > 0,
  );
}

/** The first part of the settings that somebody may see. */
export function firstSettings(capabilities: readonly string[], under = "/"): string | undefined {
  return groupsFor(capabilities)
    .flatMap(({ parts }) => parts)
    .find(({ path }) => path.startsWith(under))?.path;
}

export function SettingsTabs() {
  const { capabilities } = useSession();
  const [location] = useLocation();
  const groups = groupsFor(capabilities);
  const tabs = groups.map(({ label, parts }): Tab => {
    const covers = parts.flatMap(({ path, covers = [] }) => [path, ...covers]);
    return { path: parts[0]?.path ?? "", label, covers };
  });
  const current = groups.find((_, index) => isUnder(location, tabs[index]?.covers ?? []));
  return (
    <>
      <Tabs label={pages.settings} tabs={tabs} />
      {current && current.parts.length > 1 && <Tabs inner label={current.label} tabs={current.parts} />}
    </>
  );
}
