import { Link } from "wouter";
import { aiApi, notices } from "../../../app-state";
import type { CredentialInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { Button } from "../../../parts/button/Button";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Note, ProblemNote } from "../../../parts/problem/Problem";
import { partNames } from "../parts";

interface RemoveCredentialProps {
  credential: CredentialInfo;
  onRemoved(): void;
  onClose(): void;
}

/** Asks before an access is forgotten. One that a default rests on stays, and the way to the defaults is shown. */
export function RemoveCredential({ credential, onRemoved, onClose }: RemoveCredentialProps) {
  const removing = useAction(async () => {
    await aiApi.removeCredential(credential.id);
    notices.show(`${credential.label} was removed.`);
    onClose();
    onRemoved();
  });
  const inUse = removing.problem?.status === 409;
  return (
    <Dialog title={`Remove ${credential.label}?`} onClose={onClose}>
      <p>Its key is deleted. Conversations are kept and can continue with another model.</p>
      {inUse ? (
        <div role="alert">
          <Note tone="caution">
            {credential.defaultFor.length > 0
              ? `It is the default for ${partNames(credential.defaultFor)}. Choose another model there first. `
              : `${removing.problem?.message} `}
            <Link href="/ai/defaults">{words.ai.seeDefaults}</Link>
          </Note>
        </div>
      ) : (
        <ProblemNote problem={removing.problem} />
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.actions.cancel}</Button>
        <Button look="danger" busy={removing.pending} onClick={() => removing.run()}>
          {words.actions.remove}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
