// The words of signing in, of a person's own account, and of what was changed about it.
import type { Notice } from "../generated/api";
import { plural } from "./plural";

export const account = {
  notices: {
    title: "Changes to your account",
    intro: "Don’t recognise one of these? Change your password and sign out everywhere.",
    dismiss: "Dismiss",
    dismissAll: "Dismiss all",
  },
  secondStep: {
    title: "Enter your code",
    intro: "Enter the six-digit code from your authenticator app.",
    field: "Code",
    hint: "Lost your phone? Enter a recovery code instead.",
    submit: "Continue",
    back: "Back to sign-in",
  },
  passkey: {
    signIn: "Sign in with a passkey",
    use: "Use a passkey",
    or: "or",
    failed: "Your passkey wasn’t used. Try again, or sign in another way.",
    unsupported: "This browser doesn’t support passkeys.",
  },
  stepUp: {
    title: "Confirm it’s you",
    intro: "It’s been a while since you signed in, and this change is sensitive.",
    confirm: "Confirm",
    useCode: "Use a code instead",
    usePassword: "Use your password instead",
  },
  twoStep: {
    title: "Two-step sign-in",
    intro: "Sign in with a code from your phone as well as your password.",
    off: "Right now, anyone who learns your password can sign in. With two-step sign-in, they would also need your phone.",
    on: "Authenticator app",
    setUp: "Set up",
    setUpTitle: "Set up two-step sign-in",
    turnOff: "Turn off",
    codesLeft: (count: number) =>
      count === 0 ? "No recovery codes left." : `${plural(count, "recovery code", "recovery codes")} left.`,
    newCodes: "New recovery codes",
    scan: "Scan this QR code with an authenticator app. Your password manager may have one built in.",
    qr: "QR code for your authenticator app",
    here: "Set it up on this device",
    key: "Can’t scan it? Enter this key in the app",
    first: "Code from the app",
    firstHint: "Six digits",
    turnOn: "Turn on",
    codesTitle: "Save your recovery codes",
    codesIntro:
      "If you lose your phone, each of these codes lets you sign in once. Keep them somewhere safe. You won’t see them again.",
    codesFile: "sitewright-recovery-codes.txt",
  },
  passkeys: {
    title: "Passkeys",
    intro: "Sign in with your fingerprint, face or PIN instead of a password.",
    none: "No passkeys yet.",
    add: "Add a passkey",
    rename: "Rename",
    name: "Name",
    nameHint: "To help you recognise it later.",
  },
  everything: {
    action: "Sign out everywhere",
    title: "Sign out everywhere?",
    intro: "You’ll be signed out on every device, including this one, and all your API tokens will be revoked.",
  },
  deletion: {
    title: "Delete your account",
    intro: "You’ll lose access to every site on this server. Your work stays, without your name.",
    action: "Delete account",
    question: "Delete your account?",
    warning: "You’ll be signed out and won’t be able to sign in again. This can’t be undone.",
  },
} as const;

type About = Pick<Notice, "event" | "about" | "by" | "byName">;

/** What happened to the account, as one sentence. */
export function noticeSentence(notice: About): string {
  const { about, by } = notice;
  const from = by === "you" ? "" : ` by ${authorOf(notice)}`;
  switch (notice.event) {
    case "password_changed":
      return about === "link" ? "Your password was changed with a link." : `Your password was changed${from}.`;
    case "password_link_made":
      return `A link for choosing a new password was created${from}.`;
    case "role_changed":
      return `Your role was changed to ${about}${from}.`;
    case "token_created":
      return `The API token “${about}” was created${from}.`;
    case "passkey_added":
      return `The passkey “${about}” was added${from}.`;
    case "passkey_removed":
      return `The passkey “${about}” was removed${from}.`;
    case "second_factor_on":
      return `Two-step sign-in was turned on${from}.`;
    case "second_factor_off":
      return `Two-step sign-in was turned off${from}.`;
    case "recovery_code_used":
      return "One of your recovery codes was used.";
    case "recovery_codes_replaced":
      return `Your recovery codes were replaced${from}.`;
    case "sessions_ended":
      return `You were signed out everywhere${from}.`;
    default:
      return `Your account was changed${from}.`;
  }
}

function authorOf({ by, byName }: About): string {
  if (by === "machine") return "someone on the server";
  if (by === "token") return byName ? `the API token “${byName}”` : "an API token";
  return byName ?? "someone who left";
}
