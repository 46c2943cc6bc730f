import { useState } from "react";
import { aiApi } from "../../../app-state";
import type { CredentialChange, CredentialInfo, ProviderInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field, Select } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../../settings/Settings.module.css";

interface CredentialDialogProps {
  providers: readonly ProviderInfo[];
  /** The one to change; a new one when left out. */
  credential?: CredentialInfo;
  onSaved(saved: CredentialInfo): void;
  onClose(): void;
}

/** Connects a provider, or changes how it is reached. What it asks for follows from the provider. */
export function CredentialDialog({ providers, credential, onSaved, onClose }: CredentialDialogProps) {
  const offered = providers.filter(({ id }) => id !== "offline");
  const [providerId, setProviderId] = useState<string>(credential?.providerId ?? offered[0]?.id ?? "");
  const provider = offered.find(({ id }) => id === providerId);
  const needsKey = provider?.shape !== "endpoint";
  const form = useSubmit(async (values) => {
    const [label, apiKey, baseUrl] = [values.text("label"), values.text("apiKey"), values.text("baseUrl")];
    if (credential !== undefined) {
      const change: CredentialChange = { label, ...(apiKey !== "" && { apiKey }) };
      if (baseUrl !== (credential.baseUrl ?? "")) change.baseUrl = baseUrl === "" ? null : baseUrl;
      onSaved(await aiApi.changeCredential(credential.id, change));
      return;
    }
    const given = { ...(apiKey !== "" && { apiKey }), ...(baseUrl !== "" && { baseUrl }) };
    onSaved(await aiApi.addCredential({ providerId, label, ...given }));
  });
  const keyField = (
    <Field
      label={words.ai.key}
      name="apiKey"
      type="password"
      required={needsKey && credential === undefined}
      autoComplete="off"
      spellCheck={false}
      hint={
        credential?.hasKey
          ? words.ai.keyKept
          : needsKey
            ? words.ai.keyHint
            : `Only if the server requires one. ${words.ai.keyHint}`
      }
      error={form.errors.apiKey}
    />
  );
  const addressField = (
    <Field
      label={words.ai.address}
      name="baseUrl"
      type="url"
      autoComplete="off"
      spellCheck={false}
      placeholder={provider?.baseUrl}
      defaultValue={credential?.baseUrl ?? ""}
      hint={provider && words.ai.ownAddress(provider.baseUrl)}
      error={form.errors.baseUrl}
    />
  );
  return (
    <Dialog title={credential === undefined ? words.ai.add : `Change ${credential.label}`} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        {credential === undefined && (
          <Select
            label={words.ai.provider}
            name="providerId"
            value={providerId}
            onChange={(event) => setProviderId(event.target.value)}
            error={form.errors.providerId}
          >
            {offered.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
        {/* Another provider begins with a name of its own. */}
        <Field
          key={`label-${providerId}`}
          label={words.ai.label}
          name="label"
          required
          maxLength={100}
          autoComplete="off"
          defaultValue={credential?.label ?? provider?.name ?? ""}
          hint="How it appears here."
          error={form.errors.label}
        />
        {needsKey ? (
          <>
            {keyField}
            <details className={settings.permissions}>
              <summary>Custom address</summary>
              <div>{addressField}</div>
            </details>
          </>
        ) : (
          <>
            {addressField}
            {keyField}
          </>
        )}
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {credential === undefined ? "Connect" : words.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
