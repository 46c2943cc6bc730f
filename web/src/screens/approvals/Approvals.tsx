import { useCallback, useState } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { may } from "../../access/permissions";
import { api } from "../../app-state";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { ActivityTabs } from "../activity/ActivityTabs";
import { NotFound } from "../NotFound";
import { OneApproval } from "./OneApproval";
import { Unknown } from "./Unknown";
import { WaitingCards } from "./WaitingCards";

/** What waits for a person: cards to answer, and calls whose outcome nobody knows. */
export function Approvals() {
  const { capabilities } = useSession();
  return may(capabilities, { needs: "tools.read" }) ? <Inbox /> : <NotFound />;
}

function Inbox() {
  const [location] = useLocation();
  const [announcement, setAnnouncement] = useState("");
  // What was decided on one of these pages may have ended in the unknown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is what asks again.
  const unknownCalls = useCallback(() => api.calls({ state: "unknown", limit: 200 }), [location]);
  const unknown = useResource(unknownCalls);

  // The same sentence twice in a row is told twice, because it differs by a space that nobody hears.
  const announce = useCallback(
    (text: string) => setAnnouncement((before) => (before === text ? `${text}\u{a0}` : text)),
    [],
  );
  const unknownCount = unknown.state.status === "ready" ? unknown.state.value.calls.filter(isUnknown).length : 0;
  return (
    <>
      <ActivityTabs />
      <Switch>
        <Route path="/approvals">
          <WaitingCards announce={announce} unknownCount={unknownCount} />
        </Route>
        <Route path="/approvals/unknown">
          <Unknown unknown={unknown} announce={announce} />
        </Route>
        <Route path="/approvals/recent">
          <Redirect to="/activity/runs" replace />
        </Route>
        <Route path="/approvals/:id">{({ id }) => <OneApproval key={id} id={id} announce={announce} />}</Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </>
  );
}

const isUnknown = ({ state }: { state: string }) => state === "unknown";
