import { useState } from "react";
import { words } from "../../glossary";
import { Button } from "../../parts/button/Button";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import styles from "./Account.module.css";

/** The codes, shown this one time. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const [copied, setCopied] = useState(false);
  function copy() {
    // Plain http off loopback has no clipboard; the codes can be selected there.
    navigator.clipboard?.writeText(codes.join("\n")).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  }
  return (
    <Dialog title={words.account.twoStep.codesTitle} onClose={onClose}>
      <p>{words.account.twoStep.codesIntro}</p>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <span role="status" className="visually-hidden">
        {copied ? words.actions.copied : ""}
      </span>
      <DialogActions>
        <Button onClick={() => download(words.account.twoStep.codesFile, codes)}>{words.actions.download}</Button>
        <Button icon={copied ? "check" : "copy"} onClick={copy}>
          {copied ? words.actions.copied : words.actions.copy}
        </Button>
        <Button look="primary" onClick={onClose}>
          {words.actions.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function download(name: string, lines: readonly string[]): void {
  const link = document.createElement("a");
  link.href = `data:text/plain;charset=utf-8,${encodeURIComponent(`${lines.join("\n")}\n`)}`;
  link.download = name;
  link.click();
}
