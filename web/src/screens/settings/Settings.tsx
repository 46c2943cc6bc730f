import { Redirect, Route, Switch } from "wouter";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { type Tab, Tabs } from "../../parts/tabs/Tabs";
import { allowed, type Gate } from "../../permissions";
import { NotFound } from "../NotFound";
import { People } from "./people/People";
import { Roles } from "./roles/Roles";
import { System } from "./system/System";
import { Tokens } from "./tokens/Tokens";

interface SettingsTab extends Gate, Tab {
  screen(): React.ReactNode;
}

const TABS: readonly SettingsTab[] = [
  { path: "/settings/people", label: words.pages.people, needs: "users.manage", screen: () => <People /> },
  { path: "/settings/roles", label: words.pages.roles, needs: "users.manage", screen: () => <Roles /> },
  { path: "/settings/tokens", label: words.pages.tokens, screen: () => <Tokens /> },
  { path: "/settings/system", label: words.pages.system, screen: () => <System /> },
];

export function Settings() {
  const { capabilities } = useSession();
  const tabs = allowed(capabilities, TABS);
  const first = tabs[0];
  return (
    <>
      <Tabs label={words.pages.settings} tabs={tabs} />
      <Switch>
        {tabs.map(({ path, screen }) => (
          <Route key={path} path={path}>
            {screen()}
          </Route>
        ))}
        <Route path="/settings">{first && <Redirect to={first.path} replace />}</Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
