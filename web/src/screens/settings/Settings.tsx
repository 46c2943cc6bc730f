import { Redirect, Route, Switch } from "wouter";
import { allowed, type Gate } from "../../access/permissions";
import { useSession } from "../../hooks/use-session";
import { NotFound } from "../NotFound";
import { People } from "./people/People";
import { Roles } from "./roles/Roles";
import { firstSettings, SettingsTabs } from "./SettingsTabs";
import { SiteSettings } from "./site/SiteSettings";
import { System } from "./system/System";
import { Tokens } from "./tokens/Tokens";

interface Screen extends Gate {
  path: string;
  screen(): React.ReactNode;
}

const SCREENS: readonly Screen[] = [
  { path: "/settings/site", needs: "site.write", screen: () => <SiteSettings /> },
  { path: "/settings/people", needs: "users.manage", screen: () => <People /> },
  { path: "/settings/roles", needs: "users.manage", screen: () => <Roles /> },
  { path: "/settings/tokens", screen: () => <Tokens /> },
  { path: "/settings/system", screen: () => <System /> },
];

export function Settings() {
  const { capabilities } = useSession();
  return (
    <>
      <SettingsTabs />
      <Switch>
        {allowed(capabilities, SCREENS).map(({ path, screen }) => (
          <Route key={path} path={path}>
            {screen()}
          </Route>
        ))}
        <Route path="/settings">
          <Redirect to={firstSettings(capabilities) ?? "/settings/system"} replace />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
