import type { Role } from "../../../generated/api";
import field from "../../../parts/field/Field.module.css";

interface RoleSelectProps {
  label: string;
  value: string;
  roles: readonly Role[];
  disabled: boolean;
  onChange(role: string): void;
}

/** A role in a row, where the column says what it is; the label is for those who hear the page. */
export function RoleSelect({ label, value, roles, disabled, onChange }: RoleSelectProps) {
  return (
    <select
      className={field.select}
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value)}
    >
      {roles.map((role) => (
        <option key={role.key} value={role.key}>
          {role.name}
        </option>
      ))}
    </select>
  );
}
