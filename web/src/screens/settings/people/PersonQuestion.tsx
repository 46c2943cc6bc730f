import { api, notices } from "../../../app-state";
import type { User } from "../../../generated/api";
import { words } from "../../../glossary";
import { Confirm } from "../../../parts/dialog/Confirm";

/** What is about to be done to a person. */
export type Question = "sessions" | "second-factor" | "removal" | "deletion";

interface Answer {
  title: string;
  verb: string;
  warning: string;
  done: string;
  act(id: string): Promise<unknown>;
}

function answerTo(question: Question, name: string, siteName: string): Answer {
  switch (question) {
    case "sessions":
      return {
        title: `Sign ${name} out everywhere?`,
        verb: words.actions.signOut,
        warning: `${name} will have to sign in again on every device. Their API tokens keep working.`,
        done: `${name} was signed out.`,
        act: api.endSessionsOf,
      };
    case "second-factor":
      return {
        title: `Turn off two-step sign-in for ${name}?`,
        verb: words.account.twoStep.turnOff,
        warning: `Only do this if ${name} has lost both their phone and their recovery codes. They’ll see a notice about it.`,
        done: `${name} can now sign in with just a password.`,
        act: api.turnOffSecondFactorOf,
      };
    case "removal":
      return {
        title: `Remove ${name}?`,
        verb: words.actions.remove,
        warning: `${name} will no longer be able to sign in to ${siteName}. Their work is kept.`,
        done: `${name} was removed.`,
        act: api.removeUser,
      };
    case "deletion":
      return {
        title: `Delete ${name}’s account?`,
        verb: words.account.deletion.action,
        warning: `${name} will lose access for good, and their name will be removed from this server. Their work is kept.`,
        done: `${name}’s account was deleted.`,
        act: api.deleteAccountOf,
      };
  }
}

interface PersonQuestionProps {
  question: Question;
  user: User;
  siteName: string;
  onDone(): void;
  onClose(): void;
}

/** Asks before something is done to a person that they will notice. */
export function PersonQuestion({ question, user, siteName, onDone, onClose }: PersonQuestionProps) {
  const { title, verb, warning, done, act } = answerTo(question, user.name, siteName);
  return (
    <Confirm
      title={title}
      verb={verb}
      action={async () => {
        await act(user.id);
        notices.show(done);
        onDone();
      }}
      onClose={onClose}
    >
      {warning}
    </Confirm>
  );
}
