import { useCallback, useState } from "react";
import { Route, Switch, useLocation } from "wouter";
import { api } from "../../app-state";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Tabs } from "../../parts/tabs/Tabs";
import { may } from "../../permissions";
import { NotFound } from "../NotFound";
import { OneApproval } from "./OneApproval";
import { Recent } from "./Recent";
import { Unknown } from "./Unknown";
import { WaitingCards } from "./WaitingCards";

const PATHS = { waiting: "/approvals", unknown: "/approvals/unknown", recent: "/approvals/recent" };

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
  const { tabs } = words.approvals;
  return (
    <>
      <Tabs
        label={words.pages.approvals}
        tabs={[
          { path: PATHS.waiting, label: tabs.waiting },
          { path: PATHS.recent, label: tabs.recent },
          // The last one, so that its number moves nothing when it comes.
          { path: PATHS.unknown, label: tabs.unknown, count: unknownCount },
        ]}
      />
      <Switch>
        <Route path={PATHS.waiting}>
          <WaitingCards announce={announce} />
        </Route>
        <Route path={PATHS.unknown}>
          <Unknown unknown={unknown} announce={announce} />
        </Route>
        <Route path={PATHS.recent}>
          <Recent />
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
