import { Redirect, Route, Switch } from "wouter";
import { allowed, type Gate } from "../../access/permissions";
import { useSession } from "../../hooks/use-session";
import { NotFound } from "../NotFound";
import { firstSettings, SettingsTabs } from "../settings/SettingsTabs";
import { AuditTab } from "./audit/AuditTab";
import { DefaultsTab } from "./defaults/DefaultsTab";
import { ProvidersTab } from "./providers/ProvidersTab";

interface Screen extends Gate {
  path: string;
  screen(): React.ReactNode;
}

const SCREENS: readonly Screen[] = [
  { path: "/ai/providers", needs: "ai.providers.manage", screen: () => <ProvidersTab /> },
  { path: "/ai/defaults", needs: "ai.providers.manage", screen: () => <DefaultsTab /> },
  { path: "/ai/audit", needs: "ai.audit.read", screen: () => <AuditTab /> },
];

/** The assistant's side of the settings: who answers, with which model, and what it used. */
export function AiPage() {
  const { capabilities } = useSession();
  const screens = allowed(capabilities, SCREENS);
  const first = firstSettings(capabilities, "/ai/");
  if (first === undefined) return <NotFound />;
  return (
    <>
      <SettingsTabs />
      <Switch>
        {screens.map(({ path, screen }) => (
          <Route key={path} path={path}>
            {screen()}
          </Route>
        ))}
        <Route path="/ai">
          <Redirect to={first} replace />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
