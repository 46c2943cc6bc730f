import { Route, Switch } from "wouter";
import { may } from "../../access/permissions";
import { toolsApi } from "../../app-state";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { NotFound } from "../NotFound";
import { SettingsTabs } from "../settings/SettingsTabs";
import { Catalogue } from "./Catalogue";
import { ConnectedTools } from "./connected/ConnectedTools";
import { DocumentScreen } from "./openapi/DocumentScreen";
import { Documents } from "./openapi/Documents";
import { ToolScreen } from "./ToolScreen";

/** The tools there are, one of them in full, and those that live elsewhere. */
export function ToolsPage() {
  const { capabilities } = useSession();
  return may(capabilities, { needs: "tools.read" }) ? <Tools /> : <NotFound />;
}

function Tools() {
  const { capabilities } = useSession();
  const tools = useResource(toolsApi.tools);
  return (
    <>
      <SettingsTabs />
      <Switch>
        <Route path="/tools">
          <Catalogue tools={tools} />
        </Route>
        <Route path="/tools/tool/:name">
          {({ name }) => <ToolScreen key={name} name={decodeURIComponent(name)} tools={tools} />}
        </Route>
        {may(capabilities, { needs: "tools.manage" }) && (
          <Route path="/tools/connected">
            <ConnectedTools onChanged={tools.reload} />
          </Route>
        )}
        {may(capabilities, { needs: "tools.manage" }) && (
          <Route path="/tools/openapi">
            <Documents onChanged={tools.reload} />
          </Route>
        )}
        {may(capabilities, { needs: "tools.manage" }) && (
          <Route path="/tools/openapi/:name">
            {({ name }) => (
              <DocumentScreen key={name} name={decodeURIComponent(name)} tools={tools} onChanged={tools.reload} />
            )}
          </Route>
        )}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
