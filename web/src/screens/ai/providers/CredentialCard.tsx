import { useEffect, useState } from "react";
import { aiApi } from "../../../app-state";
import type { CredentialInfo, CredentialTest, ProviderInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { Icon } from "../../../parts/icon/Icon";
import { Menu, MenuItem } from "../../../parts/menu/Menu";
import { Note, ProblemNote } from "../../../parts/problem/Problem";
import { When } from "../../../parts/When";
import { visible } from "../../../words/visible-text";
import { partNames } from "../parts";
import { CredentialDialog } from "./CredentialDialog";
import styles from "./Providers.module.css";
import { RemoveCredential } from "./RemoveCredential";

interface CredentialCardProps {
  credential: CredentialInfo;
  provider: ProviderInfo | undefined;
  /** Whether it was added just now; then it is tested without being asked to. */
  isFresh: boolean;
  onChanged(): void;
}

/** One access: where it leads, what rests on it, and whether the provider takes it. Never its key. */
export function CredentialCard({ credential, provider, isFresh, onChanged }: CredentialCardProps) {
  const [open, setOpen] = useState<"change" | "remove">();
  const [tested, setTested] = useState<CredentialTest>();
  const test = useAction(async () => {
    setTested(undefined);
    setTested(await aiApi.testCredential(credential.id));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: tested once, when it is new.
  useEffect(() => {
    if (isFresh) test.run();
  }, [isFresh]);
  const parts = partNames(credential.defaultFor);
  const name = <span className="visually-hidden"> {credential.label}</span>;
  return (
    <article className={styles.card} aria-labelledby={`credential-${credential.id}`}>
      <div className={styles.head}>
        <div className={styles.title}>
          <h2 id={`credential-${credential.id}`}>
            <bdi>{visible(credential.label)}</bdi> <Badge>{provider?.name ?? credential.providerId}</Badge>
            {parts !== "" && <Badge tone="accent">{words.ai.defaultFor(parts)}</Badge>}
          </h2>
          <p className={styles.about}>
            {hostOf(credential.baseUrl ?? provider?.baseUrl)} · {credential.hasKey ? "with a key" : "without a key"} ·
            added <When at={credential.createdAt} />
          </p>
        </div>
        <div className={styles.actions}>
          <Button busy={test.pending} onClick={() => test.run()}>
            {words.ai.test}
            {name}
          </Button>
          <Menu look="icon" label={`Actions for ${credential.label}`} trigger={<Icon name="more" />}>
            <MenuItem icon="key" onSelect={() => setOpen("change")}>
              Change name, key or address
            </MenuItem>
            <MenuItem icon="close" danger onSelect={() => setOpen("remove")}>
              {words.actions.remove}
            </MenuItem>
          </Menu>
        </div>
      </div>
      <div className={styles.result} role="status">
        {test.pending && <Note tone="plain">{words.ai.testing}</Note>}
        {tested && <Note tone={tested.ok ? "calm" : "danger"}>{visible(tested.message)}</Note>}
      </div>
      <ProblemNote problem={test.problem} />
      {open === "change" && provider && (
        <CredentialDialog
          providers={[provider]}
          credential={credential}
          onClose={() => setOpen(undefined)}
          onSaved={() => {
            setOpen(undefined);
            onChanged();
            test.run();
          }}
        />
      )}
      {open === "remove" && (
        <RemoveCredential credential={credential} onClose={() => setOpen(undefined)} onRemoved={onChanged} />
      )}
    </article>
  );
}

function hostOf(address: string | undefined): string {
  try {
    return address === undefined ? "" : new URL(address).host;
  } catch {
    return address ?? "";
  }
}
