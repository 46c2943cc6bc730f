import { useState } from "react";
import { grouped } from "../../../access/permissions";
import { invalid } from "../../../api/problem";
import { api } from "../../../app-state";
import type { CreatedToken, Grantable } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Choices, PermissionChoices, Radio } from "../../../parts/choice/Choice";
import { Copyable } from "../../../parts/copyable/Copyable";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field, Select } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../Settings.module.css";

const LIFETIMES = [
  { days: "30", label: "30 days" },
  { days: "90", label: "90 days" },
  { days: "365", label: "One year" },
  { days: "", label: "No expiry" },
];

const KEPT_FROM_AGENTS = "Agents can’t manage people, tools, AI providers or settings, or approve requests.";

interface TokenDialogProps {
  grantable: Grantable;
  onCreated(): void;
  onClose(): void;
}

export function TokenDialog({ grantable, onCreated, onClose }: TokenDialogProps) {
  const [created, setCreated] = useState<CreatedToken>();
  if (created) return <NewToken created={created} onClose={onClose} />;
  return (
    <TokenForm
      grantable={grantable}
      onClose={onClose}
      onCreated={(token) => {
        setCreated(token);
        onCreated();
      }}
    />
  );
}

interface TokenFormProps {
  grantable: Grantable;
  onCreated(token: CreatedToken): void;
  onClose(): void;
}

function TokenForm({ grantable, onCreated, onClose }: TokenFormProps) {
  const [some, setSome] = useState(false);
  const [isAgent, setIsAgent] = useState(false);
  const form = useSubmit(async (values) => {
    const days = values.text("expiresInDays");
    const chosen = some ? values.list("capabilities") : ["all"];
    if (chosen.length === 0) throw invalid("capabilities", words.form.permission);
    onCreated(
      await api.createToken({
        name: values.text("name"),
        kind: isAgent ? "agent" : "script",
        capabilities: chosen,
        ...(days === "" ? { neverExpires: true } : { expiresInDays: Number(days) }),
      }),
    );
  });
  return (
    <Dialog title={words.actions.newToken} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label="Name"
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          hint="What will use it, such as “nightly export”."
          error={form.errors.name}
        />
        <Choices title="Who will use it" error={form.errors.kind}>
          <Radio
            name="kind"
            value="script"
            label={words.tokenKinds.script}
            hint="Does exactly what it was programmed to do."
            checked={!isAgent}
            onChange={() => setIsAgent(false)}
          />
          <Radio
            name="kind"
            value="agent"
            label={words.tokenKinds.agent}
            hint="Makes its own decisions, so it is checked more closely."
            checked={isAgent}
            onChange={() => setIsAgent(true)}
          />
        </Choices>
        <Choices title="Permissions">
          <Radio
            name="reach"
            label={isAgent ? "Everything agents can do" : "Everything I can do"}
            hint={isAgent ? KEPT_FROM_AGENTS : undefined}
            checked={!some}
            onChange={() => setSome(false)}
          />
          <Radio name="reach" label="Only some permissions" checked={some} onChange={() => setSome(true)} />
        </Choices>
        {some && (
          <PermissionChoices
            groups={grouped(isAgent ? grantable.agent : grantable.script)}
            error={form.errors.capabilities}
          />
        )}
        <Select label="Expires after" name="expiresInDays" defaultValue="90" error={form.errors.expiresInDays}>
          {LIFETIMES.filter(({ days }) => days !== "" || !isAgent).map(({ days, label }) => (
            <option key={label} value={days}>
              {label}
            </option>
          ))}
        </Select>
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            Create token
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function NewToken({ created, onClose }: { created: CreatedToken; onClose(): void }) {
  return (
    <Dialog title={`Token “${created.info.name}” created`} onClose={onClose}>
      <p>Copy the token now and treat it like a password. You won’t see it again.</p>
      <Copyable label="Token" value={created.token} />
      <DialogActions>
        <Button onClick={onClose}>{words.actions.done}</Button>
      </DialogActions>
    </Dialog>
  );
}
