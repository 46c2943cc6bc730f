import { useState } from "react";
import { api, notices } from "../../../app-state";
import type { PasswordLink, Role, User, UserChange } from "../../../generated/api";
import { roleName, words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { useSession } from "../../../hooks/use-session";
import { Avatar } from "../../../parts/avatar/Avatar";
import { Badge } from "../../../parts/badge/Badge";
import { Icon } from "../../../parts/icon/Icon";
import { Menu, MenuItem } from "../../../parts/menu/Menu";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../Settings.module.css";
import { LinkDialog } from "./LinkDialog";
import { PersonQuestion, type Question } from "./PersonQuestion";
import { RoleSelect } from "./RoleSelect";

interface PersonRowProps {
  user: User;
  roles: readonly Role[];
  onChanged(user: User): void;
  onRemoved(): void;
}

export function PersonRow({ user, roles, onChanged, onRemoved }: PersonRowProps) {
  const { user: me, site } = useSession();
  const [link, setLink] = useState<PasswordLink>();
  const [asking, setAsking] = useState<Question>();
  const isMe = user.id === me?.id;

  const changing = useAction(async (change: UserChange, done: string) => {
    onChanged(await api.changeUser(user.id, change));
    notices.show(done);
  });
  const linking = useAction(async () => setLink(await api.passwordLink(user.id)));

  return (
    <li>
      <div className={settings.row}>
        <Avatar name={user.name} />
        <div className={settings.grow}>
          <p className={settings.name}>
            {user.name} {isMe && <Badge>{words.states.you}</Badge>}
            {user.invited && <Badge tone="accent">{words.states.invited}</Badge>}
            {user.secondFactor && <Badge>{words.states.twoStep}</Badge>}
            {user.disabled && <Badge tone="caution">{words.states.disabled}</Badge>}
          </p>
          <p className={settings.about}>{user.email}</p>
        </div>
        <div className={settings.role}>
          <RoleSelect
            label={`Role of ${user.name}`}
            value={user.role}
            roles={roles}
            disabled={isMe || changing.pending}
            onChange={(role) => changing.run({ role }, `${user.name} is now ${roleName(role, roles)}.`)}
          />
        </div>
        <Menu look="icon" label={`Actions for ${user.name}`} trigger={<Icon name="more" />}>
          <MenuItem icon="key" onSelect={() => linking.run()}>
            New password link
          </MenuItem>
          {!isMe && (
            <>
              <MenuItem icon="person" onSelect={() => changing.run({ disabled: !user.disabled }, toggled(user))}>
                {user.disabled ? "Enable sign-in" : "Disable sign-in"}
              </MenuItem>
              <MenuItem icon="lock" onSelect={() => setAsking("sessions")}>
                Sign out everywhere
              </MenuItem>
              {user.secondFactor && (
                <MenuItem icon="key" onSelect={() => setAsking("second-factor")}>
                  Turn off two-step sign-in
                </MenuItem>
              )}
              <MenuItem icon="close" danger onSelect={() => setAsking("removal")}>
                Remove from this site
              </MenuItem>
              <MenuItem icon="trash" danger onSelect={() => setAsking("deletion")}>
                Delete account
              </MenuItem>
            </>
          )}
        </Menu>
      </div>
      <ProblemNote problem={changing.problem ?? linking.problem} />
      {link && <LinkDialog link={link} name={user.name} onClose={() => setLink(undefined)} />}
      {asking && (
        <PersonQuestion
          question={asking}
          user={user}
          siteName={site?.name ?? words.product}
          onDone={onRemoved}
          onClose={() => setAsking(undefined)}
        />
      )}
    </li>
  );
}

function toggled(user: User): string {
  return user.disabled ? `${user.name} can sign in again.` : `${user.name} can no longer sign in.`;
}
