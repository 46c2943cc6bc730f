import { useState } from "react";
import { supportsPasskeys } from "../../access/passkey";
import { api, notices } from "../../app-state";
import type { PasskeyInfo } from "../../generated/api";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { Card, Rows } from "../../parts/card/Card";
import { Confirm } from "../../parts/dialog/Confirm";
import { Section } from "../../parts/page/Page";
import { Note } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import styles from "./Account.module.css";
import { NewPasskeyDialog, RenamePasskeyDialog } from "./PasskeyDialogs";

export function Passkeys({ passkeys, onChanged }: { passkeys: readonly PasskeyInfo[]; onChanged(): void }) {
  const { passkeysBlocked } = useSession();
  const [adding, setAdding] = useState(false);
  const blocked = passkeysBlocked ?? (supportsPasskeys() ? undefined : words.account.passkey.unsupported);
  const { title, intro, none, add } = words.account.passkeys;
  return (
    <Section
      title={title}
      intro={intro}
      action={
        !blocked && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            {add}
          </Button>
        )
      }
    >
      {blocked && <Note tone="plain">{blocked}</Note>}
      {passkeys.length > 0 ? (
        <Rows label={title}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onChanged={onChanged} />
          ))}
        </Rows>
      ) : (
        !blocked && (
          <Card>
            <p>{none}</p>
          </Card>
        )
      )}
      {adding && <NewPasskeyDialog onAdded={onChanged} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function PasskeyRow({ passkey, onChanged }: { passkey: PasskeyInfo; onChanged(): void }) {
  const [open, setOpen] = useState<"rename" | "remove">();
  const close = () => setOpen(undefined);
  return (
    <li>
      <div className={styles.device}>
        <div>
          <p className={styles.name}>{passkey.name}</p>
          <p className={styles.about}>
            Added <When at={passkey.createdAt} /> ·{" "}
            {passkey.lastUsedAt ? (
              <>
                last used <When at={passkey.lastUsedAt} />
              </>
            ) : (
              "never used"
            )}
          </p>
        </div>
        <div className={styles.buttons}>
          <Button onClick={() => setOpen("rename")}>
            {words.account.passkeys.rename}
            <span className="visually-hidden"> {passkey.name}</span>
          </Button>
          <Button onClick={() => setOpen("remove")}>
            {words.actions.remove}
            <span className="visually-hidden"> {passkey.name}</span>
          </Button>
        </div>
      </div>
      {open === "rename" && <RenamePasskeyDialog passkey={passkey} onRenamed={onChanged} onClose={close} />}
      {open === "remove" && (
        <Confirm
          title={`Remove ${passkey.name}?`}
          verb={words.actions.remove}
          action={async () => {
            await api.removePasskey(passkey.id);
            notices.show(`${passkey.name} was removed.`);
            onChanged();
          }}
          onClose={close}
        >
          It can no longer be used to sign in here. You can also delete it from the device or password manager it is in.
        </Confirm>
      )}
    </li>
  );
}
