// What the browser's authenticators are asked. The options and answers are WebAuthn's own JSON, which only the server looks into.
import { invalid } from "../api/problem";
import { account } from "../glossary/account";

/** Whether this browser can exchange passkeys as JSON. */
export function supportsPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Has an authenticator make a passkey. */
export function makePasskey(options: unknown): Promise<unknown> {
  return ask(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON),
    }),
  );
}

/** Has an authenticator prove that the person has a passkey. */
export function provePasskey(options: unknown): Promise<unknown> {
  return ask(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON),
    }),
  );
}

async function ask(request: () => Promise<Credential | null>): Promise<unknown> {
  if (!supportsPasskeys()) throw invalid("passkey", account.passkey.unsupported);
  try {
    const credential = await request();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch {
    // Browsers say the same whether the person cancelled or has no passkey here, so there is nothing more to tell.
  }
  throw invalid("passkey", account.passkey.failed);
}
