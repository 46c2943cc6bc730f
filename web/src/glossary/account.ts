// The words of signing in, of a person's own account, and of what was changed about it.
import type { Notice } from "../generated/api";
import { plural } from "./plural";

export const account = {
  notices: {
    title: "Changes to your account",
    intro: "If you did not expect one of these, change your password and sign out everywhere.",
    dismiss: "Dismiss",
  },
  secondStep: {
    title: "Enter your code",
    intro: "Open your authenticator app and enter the six digits it shows for this site.",
    field: "Code",
    hint: "No phone at hand? Enter one of your recovery codes.",
    submit: "Continue",
    back: "Start over",
  },
  passkey: {
    signIn: "Sign in with a passkey",
    use: "Use a passkey",
    failed: "The passkey was not used. Try again, or choose another way.",
    unsupported: "This browser does not support passkeys.",
  },
  stepUp: {
    title: "Confirm that it’s you",
    intro: "This change is sensitive, and you signed in a while ago.",
    confirm: "Confirm",
    useCode: "Use a code instead",
    usePassword: "Use your password instead",
  },
  twoStep: {
    title: "Two-step sign-in",
    intro: "A code from your phone, in addition to your password.",
    off: "Anyone who learns your password can sign in. With a second step, they would also need your phone.",
    on: "You are asked for a code after your password.",
    setUp: "Set up",
    turnOff: "Turn off",
    codesLeft: (count: number) =>
      count === 0 ? "No recovery codes left." : `${plural(count, "recovery code", "recovery codes")} left.`,
    newCodes: "New recovery codes",
    scan: "Scan this code with an authenticator app, such as the one built into your password manager.",
    qr: "QR code for your authenticator app",
    key: "Or enter this key by hand",
    first: "Code shown in the app",
    turnOn: "Turn on",
    codesTitle: "Your recovery codes",
    codesIntro:
      "Each code signs you in once if you lose your phone. Keep them somewhere safe. They will not be shown again.",
  },
  passkeys: {
    title: "Passkeys",
    intro: "Sign in with your fingerprint, face or PIN instead of a password.",
    none: "You have no passkeys yet.",
    add: "Add a passkey",
    rename: "Rename",
    name: "Name",
    nameHint: "So that you recognise it later.",
  },
  everything: {
    action: "Sign out everywhere",
    title: "Sign out everywhere?",
    intro: "This ends every session, including this one, and revokes all your API tokens.",
  },
  deletion: {
    title: "Delete your account",
    intro: "You lose access to every site here. Your work stays, without your name.",
    action: "Delete account",
    question: "Delete your account?",
    warning: "You will be signed out and cannot sign in again. This cannot be undone.",
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
