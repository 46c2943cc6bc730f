import { useState } from "react";
import { api } from "../../../app-state";
import type { Role, User } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Button } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Loaded } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { InviteDialog } from "./InviteDialog";
import { PersonRow } from "./PersonRow";

interface PeopleData {
  users: User[];
  roles: Role[];
}

async function load(): Promise<PeopleData> {
  const [{ users }, { roles }] = await Promise.all([api.users(), api.roles()]);
  return { users, roles };
}

export function People() {
  const people = useResource(load);
  const [inviting, setInviting] = useState(false);
  return (
    <Page
      title={words.pages.people}
      intro="Everyone who can sign in to this site, and what their role lets them do."
      action={
        <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
          {words.actions.invite}
        </Button>
      }
    >
      <Loaded resource={people}>
        {({ users, roles }) => (
          <>
            <Rows label={words.pages.people}>
              {users.map((user) => (
                <PersonRow
                  key={user.id}
                  user={user}
                  roles={roles}
                  onChanged={(changed) =>
                    people.replace((shown) => ({
                      ...shown,
                      users: shown.users.map((other) => (other.id === changed.id ? changed : other)),
                    }))
                  }
                  onRemoved={people.reload}
                />
              ))}
            </Rows>
            {inviting && <InviteDialog roles={roles} onInvited={people.reload} onClose={() => setInviting(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
