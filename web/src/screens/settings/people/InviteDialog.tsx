import { useState } from "react";
import { api } from "../../../app-state";
import type { Invitation, Role } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field, Select } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../Settings.module.css";
import { LinkResult } from "./LinkDialog";

interface InviteDialogProps {
  roles: readonly Role[];
  onInvited(): void;
  onClose(): void;
}

export function InviteDialog({ roles, onInvited, onClose }: InviteDialogProps) {
  const [invitation, setInvitation] = useState<Invitation>();
  const [role, setRole] = useState(startingRole(roles) ?? "");
  const form = useSubmit(async (values) => {
    const made = await api.inviteUser({
      name: values.text("name"),
      email: values.text("email"),
      role: values.text("role"),
    });
    setInvitation(made);
    onInvited();
  });

  if (invitation) {
    return (
      <Dialog title={`${invitation.user.name} is invited`} onClose={onClose}>
        {invitation.link ? (
          <LinkResult link={invitation.link} name={invitation.user.name} onClose={onClose} />
        ) : (
          <AlreadyKnown name={invitation.user.name} onClose={onClose} />
        )}
      </Dialog>
    );
  }
  return (
    <Dialog title={words.actions.invite} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field label="Name" name="name" required maxLength={100} autoComplete="off" error={form.errors.name} />
        <Field label="Email" name="email" type="email" required autoComplete="off" error={form.errors.email} />
        <Select
          label="Role"
          name="role"
          value={role}
          hint={words.roleAbout[role]}
          error={form.errors.role}
          onChange={(event) => setRole(event.target.value)}
        >
          {roles.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </Select>
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            Create invitation
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Somebody who works on another site here and keeps their password. */
function AlreadyKnown({ name, onClose }: { name: string; onClose(): void }) {
  return (
    <>
      <p>{name} already has an account here and signs in the way they do on their other sites.</p>
      <DialogActions>
        <Button onClick={onClose}>{words.actions.done}</Button>
      </DialogActions>
    </>
  );
}

function startingRole(roles: readonly Role[]): string | undefined {
  return (roles.find((role) => role.key === "editor") ?? roles[0])?.key;
}
