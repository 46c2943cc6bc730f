import { useState } from "react";
import { api, notices } from "../../../app-state";
import type { Role } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Icon } from "../../../parts/icon/Icon";
import { Loaded } from "../../../parts/loading/Loading";
import { Menu, MenuItem } from "../../../parts/menu/Menu";
import { Page } from "../../../parts/page/Page";
import { PermissionList } from "../PermissionList";
import settings from "../Settings.module.css";
import { RoleDialog } from "./RoleDialog";

type Open = { what: "new" } | { what: "edit" | "delete"; role: Role };

export function Roles() {
  const roles = useResource(api.roles);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title={words.pages.roles}
      intro="A role is a set of permissions. Every person on this site has one."
      action={
        <Button look="primary" icon="plus" onClick={() => setOpen({ what: "new" })}>
          {words.actions.newRole}
        </Button>
      }
    >
      <Loaded resource={roles}>
        {(value) => (
          <>
            <Rows label={words.pages.roles}>
              {value.roles.map((role) => (
                <RoleRow key={role.key} role={role} of={value.capabilities.length} onOpen={setOpen} />
              ))}
            </Rows>
            {(open?.what === "new" || open?.what === "edit") && (
              <RoleDialog
                role={open.what === "edit" ? open.role : undefined}
                known={value}
                onSaved={roles.reload}
                onClose={close}
              />
            )}
          </>
        )}
      </Loaded>
      {open?.what === "delete" && (
        <Confirm
          title={`Delete the role ${open.role.name}?`}
          verb={words.actions.delete}
          action={async () => {
            await api.deleteRole(open.role.key);
            notices.show(`Role ${open.role.name} deleted.`);
            roles.reload();
          }}
          onClose={close}
        >
          A role can only be deleted when no one has it.
        </Confirm>
      )}
    </Page>
  );
}

function RoleRow({ role, of, onOpen }: { role: Role; of: number; onOpen(open: Open): void }) {
  return (
    <li className={settings.row}>
      <div className={settings.grow}>
        <h2 className={settings.name}>
          {role.name} {role.builtIn && <Badge>{words.states.builtIn}</Badge>}
        </h2>
        {role.builtIn && <p className={settings.about}>{words.roleAbout[role.key]}</p>}
        <PermissionList summary={words.permissionCount(role.capabilities.length, of)} names={role.capabilities} />
      </div>
      {!role.builtIn && (
        <Menu look="icon" label={`Actions for ${role.name}`} trigger={<Icon name="more" />}>
          <MenuItem icon="settings" onSelect={() => onOpen({ what: "edit", role })}>
            {words.actions.edit}
          </MenuItem>
          <MenuItem icon="close" danger onSelect={() => onOpen({ what: "delete", role })}>
            {words.actions.delete}
          </MenuItem>
        </Menu>
      )}
    </li>
  );
}
