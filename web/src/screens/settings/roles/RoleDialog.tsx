import { grouped } from "../../../access/permissions";
import { api, notices } from "../../../app-state";
import type { Role, Roles } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { PermissionChoices } from "../../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../Settings.module.css";
import { newRoleKey } from "./role-key";

interface RoleDialogProps {
  /** The role to change; a new one when absent. */
  role?: Role;
  known: Roles;
  onSaved(): void;
  onClose(): void;
}

export function RoleDialog({ role, known, onSaved, onClose }: RoleDialogProps) {
  const form = useSubmit(async (values) => {
    const name = values.text("name");
    const taken = known.roles.map((other) => other.key);
    const chosen = values.list("capabilities");
    const capabilities = known.capabilities
      .map((info) => info.name)
      .filter((capability) => chosen.includes(capability));
    await api.saveRole(role?.key ?? newRoleKey(name, taken), { name, capabilities });
    notices.show(`Role ${name} saved.`);
    onSaved();
    onClose();
  });
  const described = Object.fromEntries(known.capabilities.map(({ name, description }) => [name, description]));
  const groups = grouped(Object.keys(described), described);
  return (
    <Dialog title={role ? `Edit ${role.name}` : words.actions.newRole} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label="Name"
          name="name"
          required
          maxLength={60}
          autoComplete="off"
          defaultValue={role?.name}
          error={form.errors.name}
        />
        <PermissionChoices groups={groups} chosen={role?.capabilities} error={form.errors.capabilities} />
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
