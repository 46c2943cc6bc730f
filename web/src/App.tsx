import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { session as sessionStore } from "./app-state";
import { Frame } from "./frame/Frame";
import { useSessionState } from "./hooks/use-session";
import { signInPath } from "./return-path";
import { Account } from "./screens/account/Account";
import { Activity } from "./screens/activity/Activity";
import { AiPage } from "./screens/ai/AiPage";
import { Approvals } from "./screens/approvals/Approvals";
import { Home } from "./screens/home/Home";
import { Join } from "./screens/join/Join";
import { NotFound } from "./screens/NotFound";
import { Settings } from "./screens/settings/Settings";
import { SetUp } from "./screens/setup/SetUp";
import { SignIn } from "./screens/sign-in/SignIn";
import { Site } from "./screens/site/Site";
import { Splash, Unavailable } from "./screens/splash/Splash";
import { ToolsPage } from "./screens/tools/ToolsPage";
import type { SessionState } from "./state/session";

export function App() {
  const state = useSessionState();
  if (state.phase === "loading") return <Splash />;
  if (state.phase === "failed") return <Unavailable error={state.error} onRetry={() => void sessionStore.load()} />;
  return (
    <Router base="/admin">
      <Switch>
        <Route path="/setup">
          <SetUp />
        </Route>
        <Route path="/sign-in">
          <SignIn />
        </Route>
        <Route path="/join">
          <Join />
        </Route>
        <Route>
          <SignedIn state={state} />
        </Route>
      </Switch>
    </Router>
  );
}

function SignedIn({ state }: { state: SessionState & { phase: "ready" } }) {
  const [location] = useLocation();
  if (state.session.setupRequired) return <Redirect to="/setup" replace />;
  if (!state.session.signedIn) {
    return <Redirect to={state.ended === "signed-out" ? "/sign-in" : signInPath(location)} replace />;
  }
  return (
    <Frame>
      <Switch>
        <Route path="/">
          <Home />
        </Route>
        <Route path="/site/:page?">{({ page }) => <Site page={page} />}</Route>
        <Route path="/approvals/*?">
          <Approvals />
        </Route>
        <Route path="/activity/*?">
          <Activity />
        </Route>
        <Route path="/ai/*?">
          <AiPage />
        </Route>
        <Route path="/tools/*?">
          <ToolsPage />
        </Route>
        <Route path="/settings/*?">
          <Settings />
        </Route>
        <Route path="/account">
          <Account />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Frame>
  );
}
