// The only rule for a password is its length; anything else makes passwords worse to remember and no harder to guess.
import { words } from "../glossary";

export const PASSWORD_MIN = 12;
/** The server hashes no more than this. */
const MAX_BYTES = 1024;

/** Characters as a person counts them, so that an emoji or an accented letter is one. */
export function passwordLength(password: string): number {
  return [...password].length;
}

/** The sentence to show, or nothing when the password will do. */
export function passwordProblem(password: string): string | undefined {
  const length = passwordLength(password);
  if (length === 0) return words.password.missing;
  if (length < PASSWORD_MIN) return words.password.short(PASSWORD_MIN - length);
  if (new TextEncoder().encode(password).length > MAX_BYTES) return words.password.long;
  return undefined;
}
