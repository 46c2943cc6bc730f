import { type FormEvent, useId, useState } from "react";
import { asApiError } from "../../../api/problem";
import { siteApi } from "../../../app-state";
import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { reasonOf } from "../inspector/element";
import styles from "./Design.module.css";
import { GOOGLE_FAMILIES } from "./google-families";

const texts = words.design.fonts;

interface GoogleFontProps {
  /** What the font is for. */
  role: string;
  onInstall(family: string): Promise<unknown>;
}

/** Finds a family of Google Fonts and copies it to the site, where the server can reach them. */
export function GoogleFont({ role, onInstall }: GoogleFontProps) {
  const [family, setFamily] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const id = useId();

  async function install(event: FormEvent): Promise<void> {
    event.preventDefault();
    const wanted = family.trim();
    setBusy(true);
    setError(undefined);
    try {
      // Asked for by itself first, because a tool's refusal is written for models.
      await siteApi.installFont({ googleFamily: wanted, variants: ["400", "700"], subsets: ["latin"] });
    } catch (refused) {
      const isUnknown = asApiError(refused).code === "not_found";
      setError(isUnknown ? texts.notFound(wanted) : texts.noNetwork(wanted));
      setBusy(false);
      return;
    }
    try {
      await onInstall(wanted);
      setFamily("");
    } catch (refused) {
      setError(reasonOf(refused));
    }
    setBusy(false);
  }

  return (
    <form className={styles.google} onSubmit={(event) => void install(event)}>
      <label htmlFor={id}>{texts.google}</label>
      <div className={styles.adder}>
        <input
          id={id}
          className={styles.text}
          aria-label={texts.googleOf(role)}
          aria-describedby={`${id}-said`}
          aria-invalid={error !== undefined || undefined}
          list={`${id}-families`}
          required
          autoComplete="off"
          spellCheck={false}
          placeholder={texts.search}
          value={family}
          onChange={(event) => setFamily(event.target.value)}
        />
        <datalist id={`${id}-families`}>
          {GOOGLE_FAMILIES.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Button type="submit" busy={busy}>
          {texts.install}
        </Button>
      </div>
      <div id={`${id}-said`}>
        {error === undefined ? (
          <p className={styles.hint} role="status">
            {busy ? texts.installing : texts.googleHint}
          </p>
        ) : (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
      </div>
    </form>
  );
}
