import { useId, useState } from "react";
import type { Choice } from "../../agent/agent-api";
import { isOffline, modelOf, OFFLINE, type ProvidersState } from "../../agent/providers";
import { agent } from "../../app-state";
import type { CredentialInfo, Offer } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { Icon } from "../../parts/icon/Icon";
import { ProblemNote } from "../../parts/problem/Problem";
import styles from "./Composer.module.css";

/** Whose access is used, and which model is asked. */
export function ModelPicker({ providers }: { providers: ProvidersState }) {
  const id = useId();
  const [wanted, setWanted] = useState("");
  const choosing = useAction((choice: Choice) => agent.choose(choice));
  const { credentials = [], choice } = providers;
  const close = () => document.getElementById(id)?.hidePopover();
  const pick = (picked: Choice) => {
    close();
    choosing.run(picked);
  };
  return (
    <>
      <button type="button" id="assistant-model" className={styles.picker} popoverTarget={id}>
        <span>{nameOf(providers)}</span>
        <Icon name="chevron" />
        <span className="visually-hidden">{words.agent.model}</span>
      </button>
      <div
        id={id}
        popover="auto"
        className={styles.models}
        role="dialog"
        aria-label={words.agent.model}
        onToggle={({ newState }) => {
          if (newState !== "open") return;
          for (const credential of credentials) void agent.providers.loadModels(credential.id);
        }}
      >
        <input
          type="search"
          aria-label={words.agent.chooseModel}
          placeholder={words.agent.chooseModel}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        <div className={styles.offers}>
          {credentials.map((credential) => (
            <Models
              key={credential.id}
              credential={credential}
              offer={providers.offers[credential.id]}
              wanted={wanted}
              current={choice}
              onPick={pick}
            />
          ))}
          <button
            type="button"
            aria-current={isOffline(choice) ? "true" : undefined}
            onClick={() => pick(OFFLINE)}
            className={styles.model}
          >
            {words.agent.builtIn}
          </button>
        </div>
      </div>
      <ProblemNote problem={choosing.problem} />
    </>
  );
}

function nameOf(providers: ProvidersState): string {
  const { choice } = providers;
  if (choice === null) return words.agent.chooseModel;
  return isOffline(choice) ? words.agent.builtIn : (modelOf(providers)?.name ?? choice.modelId);
}

interface ModelsProps {
  credential: CredentialInfo;
  offer: Offer | "loading" | "failed" | undefined;
  wanted: string;
  current: Choice | null;
  onPick(choice: Choice): void;
}

const SHOWN_MAX = 40;

function Models({ credential, offer, wanted, current, onPick }: ModelsProps) {
  const { id, label } = credential;
  const isCurrent = (modelId: string) => current?.credentialId === id && current.modelId === modelId;
  const fits = (name: string) => name.toLowerCase().includes(wanted.trim().toLowerCase());
  const models = typeof offer === "object" ? offer.models.filter((one) => fits(`${one.name} ${one.id}`)) : [];
  return (
    <section aria-label={label}>
      <h3>{label}</h3>
      {(offer === "loading" || offer === undefined) && <p>{words.agent.loadingModels}</p>}
      {offer === "failed" && <p>{words.agent.noModels}</p>}
      {typeof offer === "object" && offer.problem && <p>{words.agent.modelsFailed(offer.problem)}</p>}
      {models.slice(0, SHOWN_MAX).map(({ id: modelId, name }) => (
        <button
          key={modelId}
          type="button"
          className={styles.model}
          aria-current={isCurrent(modelId) ? "true" : undefined}
          onClick={() => onPick({ credentialId: id, modelId })}
        >
          {name}
        </button>
      ))}
      {models.length > SHOWN_MAX && <p>{words.approvals.more(models.length - SHOWN_MAX)}</p>}
    </section>
  );
}
