import { useCallback, useDeferredValue, useId, useState } from "react";
import { aiApi, notices } from "../../../app-state";
import type { CredentialInfo, ModelOffer, Offer, Scope, ScopeDefault } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { useResource } from "../../../hooks/use-resource";
import { Button } from "../../../parts/button/Button";
import { Checkbox } from "../../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field, Select } from "../../../parts/field/Field";
import { Loaded } from "../../../parts/loading/Loading";
import { Note, ProblemNote } from "../../../parts/problem/Problem";
import { PARTS, partName } from "../parts";
import { ModelRow } from "./ModelRow";
import styles from "./Models.module.css";

interface ModelDialogProps {
  part: Scope;
  credentials: readonly CredentialInfo[];
  current: ScopeDefault | undefined;
  onSaved(): void;
  onClose(): void;
}

/** Chooses an access and one of its models, with windows and prices beside them. */
export function ModelDialog({ part, credentials, current, onSaved, onClose }: ModelDialogProps) {
  const [credentialId, setCredentialId] = useState(current?.credentialId ?? credentials[0]?.id ?? "");
  const [modelId, setModelId] = useState(current?.modelId);
  const [everywhere, setEverywhere] = useState(false);
  const credential = credentials.find(({ id }) => id === credentialId);
  const providerId = credential?.providerId ?? "";
  const offer = useResource(useCallback(() => aiApi.models(providerId, credentialId), [providerId, credentialId]));
  const saving = useAction(async (model: string) => {
    for (const scope of everywhere ? PARTS : [part]) await aiApi.setDefault(scope, { credentialId, modelId: model });
    notices.show(`${model} is the default for ${everywhere ? "every area" : partName(part)}.`);
    onSaved();
  });
  return (
    <Dialog title={`${words.ai.choose}: ${partName(part)}`} size="wide" onClose={onClose}>
      {credentials.length > 1 && (
        <Select
          label={words.ai.provider}
          value={credentialId}
          onChange={(event) => {
            setCredentialId(event.target.value);
            setModelId(undefined);
          }}
        >
          {credentials.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      )}
      <Loaded key={credentialId} resource={offer}>
        {(value) => <ModelList offer={value} chosen={modelId} onChoose={setModelId} />}
      </Loaded>
      <Checkbox
        label={words.ai.everywhere}
        checked={everywhere}
        onChange={(event) => setEverywhere(event.target.checked)}
      />
      <ProblemNote problem={saving.problem} />
      <DialogActions>
        <Button onClick={onClose}>{words.actions.cancel}</Button>
        <Button
          look="primary"
          busy={saving.pending}
          disabled={modelId === undefined}
          onClick={() => modelId !== undefined && saving.run(modelId)}
        >
          {words.actions.save}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const SEARCH_FROM = 8;

interface ModelListProps {
  offer: Offer;
  chosen: string | undefined;
  onChoose(model: string): void;
}

function ModelList({ offer, chosen, onChoose }: ModelListProps) {
  const [search, setSearch] = useState("");
  const group = useId();
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const found = offer.models.filter((model) => matches(model, wanted));
  return (
    <>
      {!offer.live && (
        <Note tone="caution">
          The provider did not say which models it has{offer.problem ? `: ${offer.problem}` : "."} These are the usual
          ones.
        </Note>
      )}
      {offer.models.length >= SEARCH_FROM && (
        <Field
          label={words.ai.search}
          type="search"
          value={search}
          autoComplete="off"
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <fieldset className={styles.models}>
        <legend className="visually-hidden">{words.ai.choose}</legend>
        {found.map((model) => (
          <ModelRow key={model.id} model={model} group={group} chosen={model.id === chosen} onChoose={onChoose} />
        ))}
        {found.length === 0 && <p className={styles.none}>No results</p>}
      </fieldset>
    </>
  );
}

function matches({ id, name }: ModelOffer, wanted: string): boolean {
  return wanted.split(/\s+/).every((word) => id.toLowerCase().includes(word) || name.toLowerCase().includes(word));
}
