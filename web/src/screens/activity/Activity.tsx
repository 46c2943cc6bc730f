import { Redirect, Route, Switch } from "wouter";
import { allowed, may } from "../../access/permissions";
import { useSession } from "../../hooks/use-session";
import { NotFound } from "../NotFound";
import { ACTIVITY_TABS, ActivityTabs } from "./ActivityTabs";
import { Changes } from "./Changes";
import { Log } from "./Log";
import { Releases } from "./Releases";
import { Runs } from "./Runs";

const SCREENS: Readonly<Record<string, () => React.ReactNode>> = {
  "/activity/changes": () => <Changes />,
  "/activity/releases": () => <Releases />,
  "/activity/runs": () => <Runs />,
  "/activity/log": () => <Log />,
};

/** What happened: changes, releases, runs and the log. What waits for a person is the first part, at an address of its own. */
export function Activity() {
  const { capabilities } = useSession();
  const tabs = allowed(capabilities, ACTIVITY_TABS);
  const first = tabs[0];
  if (first === undefined) return <NotFound />;
  return (
    <>
      <ActivityTabs />
      <Switch>
        {ACTIVITY_TABS.filter((tab) => SCREENS[tab.path] !== undefined && may(capabilities, tab)).map(({ path }) => (
          <Route key={path} path={path}>
            {SCREENS[path]?.()}
          </Route>
        ))}
        <Route path="/activity">
          <Redirect to={first.path} replace />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
