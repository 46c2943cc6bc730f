import type { PasswordLink } from "../../../generated/api";
import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { Copyable } from "../../../parts/copyable/Copyable";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { When } from "../../../parts/When";

interface LinkDialogProps {
  link: PasswordLink;
  name: string;
  onClose(): void;
}

export function LinkDialog({ link, name, onClose }: LinkDialogProps) {
  return (
    <Dialog title={`Link for ${name}`} onClose={onClose}>
      <LinkResult link={link} name={name} onClose={onClose} />
    </Dialog>
  );
}

/** The link, shown this one time. Sitewright sends no mail; the person who made it passes it on. */
export function LinkResult({ link, name, onClose }: LinkDialogProps) {
  return (
    <>
      <p>
        Send this link to {name}. Anyone who opens it can choose the password. It works once and expires{" "}
        <When at={link.expiresAt} />.
      </p>
      <Copyable label="Password link" value={link.url} />
      <DialogActions>
        <Button onClick={onClose}>{words.actions.done}</Button>
      </DialogActions>
    </>
  );
}
