import { useState } from "react";
import { aiApi, notices } from "../../../app-state";
import type { CredentialInfo, ProviderInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { Loaded } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { partNames } from "../parts";
import { CredentialCard } from "./CredentialCard";
import { CredentialDialog } from "./CredentialDialog";
import styles from "./Providers.module.css";

interface Connected {
  providers: readonly ProviderInfo[];
  credentials: readonly CredentialInfo[];
}

async function load(): Promise<Connected> {
  const [{ providers }, { credentials }] = await Promise.all([aiApi.providers(), aiApi.credentials()]);
  return { providers, credentials };
}

/** Who answers: the accesses to model providers, and the built-in commands that need none. */
export function ProvidersTab() {
  const connected = useResource(load);
  const [adding, setAdding] = useState(false);
  /** The one that was just added is tested at once. */
  const [fresh, setFresh] = useState<string>();
  return (
    <Page
      title={words.ai.tabs.providers}
      intro="Connect a provider to give the assistant a model. Until you do, nothing is sent anywhere."
      action={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          {words.ai.add}
        </Button>
      }
    >
      <Loaded resource={connected}>
        {({ providers, credentials }) => (
          <>
            <ul className={styles.cards} aria-label={words.ai.tabs.providers}>
              {credentials.map((credential) => (
                <li key={credential.id}>
                  <CredentialCard
                    credential={credential}
                    provider={providers.find(({ id }) => id === credential.providerId)}
                    isFresh={fresh === credential.id}
                    onChanged={connected.reload}
                  />
                </li>
              ))}
              <li>
                <BuiltInCard alone={credentials.length === 0} />
              </li>
            </ul>
            {adding && (
              <CredentialDialog
                providers={providers}
                onClose={() => setAdding(false)}
                onSaved={(saved) => {
                  setAdding(false);
                  setFresh(saved.id);
                  const parts = partNames(saved.defaultFor);
                  notices.show(
                    parts === "" ? `${saved.label} was added.` : `${saved.label} was added and is used for ${parts}.`,
                  );
                  connected.reload();
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function BuiltInCard({ alone }: { alone: boolean }) {
  return (
    <article className={styles.card} data-quiet="true">
      <h2>
        {words.ai.builtIn} {alone && <Badge tone="accent">In use</Badge>}
      </h2>
      <p className={styles.about}>{words.ai.builtInAbout}</p>
    </article>
  );
}
