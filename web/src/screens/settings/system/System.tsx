import { may } from "../../../access/permissions";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { useSession } from "../../../hooks/use-session";
import { Button } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { Page } from "../../../parts/page/Page";
import { Note } from "../../../parts/problem/Problem";
import { loadCore } from "../../../site/core-loader";
import settings from "../Settings.module.css";
import { Limits } from "./Limits";
import { Storage } from "./Storage";

export function System() {
  const { version, site, capabilities } = useSession();
  const { state, reload } = useResource(loadCore);
  return (
    <Page title={words.pages.system} intro="Versions, licences and storage.">
      <div className={settings.form}>
        <Card>
          <dl className={settings.facts}>
            <dt>Site</dt>
            <dd>{site?.name}</dd>
            <dt>Server</dt>
            <dd>
              {words.product} {version}
            </dd>
            <dt>Browser</dt>
            <dd>
              <span role="status">
                {state.status === "ready" && `Editor core ${state.value.version}`}
                {state.status === "loading" && words.states.loading}
                {state.status === "failed" && "Editor core not loaded"}
              </span>
            </dd>
            <dt>Open source</dt>
            <dd>
              <a href="/admin/licenses.txt">Code licences</a> and <a href="/admin/licenses-font.txt">font licence</a>
            </dd>
          </dl>
        </Card>
        {state.status === "failed" && (
          <>
            <Note tone="danger">{words.errors.core}</Note>
            <div>
              <Button onClick={reload}>{words.actions.retry}</Button>
            </div>
          </>
        )}
        {may(capabilities, { needs: "settings.manage" }) && (
          <>
            <Storage />
            <Limits />
          </>
        )}
      </div>
    </Page>
  );
}
