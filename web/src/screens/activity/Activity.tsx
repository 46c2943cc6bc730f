import { Redirect, Route, Switch } from "wouter";
import { allowed, may } from "../../access/permissions";
import { useSession } from "../../hooks/use-session";
import { NotFound } from "../NotFound";
import { ACTIVITY_TABS, ActivityTabs } from "./ActivityTabs";
import { Changes } from "./Changes";
import { Log } from "./Log";
import { MissionScreen } from "./missions/MissionScreen";
import { Missions } from "./missions/Missions";
import { Releases } from "./Releases";
import { Runs } from "./Runs";
import { Records } from "./records/Records";
import { Workflows } from "./workflows/Workflows";

const SCREENS: Readonly<Record<string, () => React.ReactNode>> = {
  "/activity/changes": () => <Changes />,
  "/activity/releases": () => <Releases />,
  "/activity/runs": () => <Runs />,
  "/activity/missions": () => <Missions />,
  "/activity/records": () => <Records />,
  "/activity/workflows": () => <Workflows />,
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
        {may(capabilities, { needs: "tools.read" }) && (
          <Route path="/activity/missions/:id">{({ id }) => <MissionScreen key={id} id={id} />}</Route>
        )}
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
