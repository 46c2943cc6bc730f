import { useState } from "react";
import { api, notices } from "../../../app-state";
import type { TokenInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { When } from "../../../parts/When";
import { PermissionList } from "../PermissionList";
import settings from "../Settings.module.css";
import { TokenDialog } from "./TokenDialog";

export function Tokens() {
  const tokens = useResource(api.tokens);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<TokenInfo>();
  return (
    <Page
      title={words.pages.tokens}
      intro="A token lets a script or an AI agent work on your behalf, with no more permissions than you have."
      action={
        <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
          {words.actions.newToken}
        </Button>
      }
    >
      <Loaded resource={tokens}>
        {(value) => (
          <>
            {value.tokens.length === 0 ? (
              <Empty icon="key" title="No tokens yet">
                Create one for each program that connects to this site, so you can revoke them one by one.
              </Empty>
            ) : (
              <Rows label={words.pages.tokens}>
                {value.tokens.map((token) => (
                  <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
                ))}
              </Rows>
            )}
            {creating && (
              <TokenDialog grantable={value.grantable} onCreated={tokens.reload} onClose={() => setCreating(false)} />
            )}
          </>
        )}
      </Loaded>
      {revoking && (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          verb={words.actions.revoke}
          action={async () => {
            await api.revokeToken(revoking.id);
            notices.show(`${revoking.name} no longer works.`);
            tokens.reload();
          }}
          onClose={() => setRevoking(undefined)}
        >
          Anything using this token will stop working immediately. This can’t be undone.
        </Confirm>
      )}
    </Page>
  );
}

function TokenRow({ token, onRevoke }: { token: TokenInfo; onRevoke(): void }) {
  return (
    <li className={settings.row} data-align="start">
      <div className={settings.grow}>
        <h2 className={settings.name}>
          {token.name} <Badge>{words.tokenKinds[token.kind]}</Badge>
          {isOver(token) && <Badge tone="caution">{words.states.expired}</Badge>}
        </h2>
        <p className={settings.about}>
          Created by {token.createdBy.replace(/^The /, "the ")} <When at={token.createdAt} /> ·{" "}
          {token.lastUsedAt ? (
            <>
              last used <When at={token.lastUsedAt} />
            </>
          ) : (
            "never used"
          )}
          {" · "}
          {token.expiresAt ? (
            <>
              {isOver(token) ? "expired" : "expires"} <When at={token.expiresAt} />
            </>
          ) : (
            "doesn’t expire"
          )}
        </p>
        <PermissionList summary={words.permissionCount(token.capabilities.length)} names={token.capabilities} />
      </div>
      <Button onClick={onRevoke}>
        {words.actions.revoke}
        <span className="visually-hidden"> {token.name}</span>
      </Button>
    </li>
  );
}

function isOver(token: TokenInfo): boolean {
  return typeof token.expiresAt === "number" && token.expiresAt <= Date.now();
}
