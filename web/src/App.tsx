import { Suspense, useEffect } from "react";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { signInPath } from "./access/return-path";
import { session as sessionStore } from "./app-state";
import { useSessionState } from "./hooks/use-session";
import { LoadingScreen } from "./parts/loading/Loading";
import {
  Account,
  Activity,
  AiPage,
  Approvals,
  Content,
  Frame,
  Home,
  Join,
  NotFound,
  preloadScreen,
  Settings,
  SetUp,
  SignIn,
  Site,
  ToolsPage,
} from "./screens/screens";
import { Splash, Unavailable } from "./screens/splash/Splash";
import type { SessionState } from "./state/session";

export function App() {
  const state = useSessionState();
  if (state.phase === "loading") return <Splash />;
  if (state.phase === "failed") return <Unavailable error={state.error} onRetry={() => void sessionStore.load()} />;
  return (
    <Router base="/admin">
      <Suspense fallback={<Splash />}>
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
      </Suspense>
    </Router>
  );
}

function SignedIn({ state }: { state: SessionState & { phase: "ready" } }) {
  const [location] = useLocation();
  const isSignedIn = state.session.signedIn;
  useEffect(() => {
    if (isSignedIn) preloadScreen(location);
  }, [isSignedIn, location]);
  if (state.session.setupRequired) return <Redirect to="/setup" replace />;
  if (!isSignedIn) {
    return <Redirect to={state.ended === "signed-out" ? "/sign-in" : signInPath(location)} replace />;
  }
  return (
    <Suspense fallback={<Splash />}>
      <Frame>
        <Suspense fallback={<LoadingScreen />}>
          <Screens />
        </Suspense>
      </Frame>
    </Suspense>
  );
}

function Screens() {
  return (
    <Switch>
      <Route path="/">
        <Home />
      </Route>
      <Route path="/site/:page?">{({ page }) => <Site page={page} />}</Route>
      <Route path="/content/*?">
        <Content />
      </Route>
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
  );
}
