import type { CallInfo } from "../../generated/api";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Avatar } from "../../parts/avatar/Avatar";
import { Badge } from "../../parts/badge/Badge";
import { When } from "../../parts/When";
import { consequences, isAssistant, reasonOf, whoCalls } from "../../words/call-words";
import { confirmationOf } from "../../words/confirmation";
import { exactTime } from "../../words/time-words";
import styles from "./Approvals.module.css";
import { Arguments } from "./Arguments";
import { Confirmation } from "./Confirmation";

/** Who calls, whether a model drives it, and when. */
export function Asker({ call }: { call: CallInfo }) {
  const { user } = useSession();
  const who = whoCalls(call, user?.id);
  return (
    <div className={styles.asker}>
      <Avatar name={who} />
      <p>
        <bdi>{who}</bdi> {kindOf(call) && <Badge>{kindOf(call)}</Badge>}
        <small>
          <When at={call.at} />
        </small>
      </p>
    </div>
  );
}

/** What a call would do, in plain words first, then why it asks, then everything. */
export function CallBody({ call }: { call: CallInfo }) {
  const isStructured = confirmationOf(call.preview) !== undefined;
  const would = isStructured ? [] : consequences(call);
  const isElsewhere = !isStructured && would.length === 0;
  return (
    <div className={styles.body}>
      {isStructured && <Confirmation preview={call.preview} />}
      {isElsewhere ? (
        <>
          <p className={styles.consequence}>
            {hasArguments(call) ? words.approvals.outside : words.approvals.outsideBare}
          </p>
          <Arguments value={call.arguments} />
        </>
      ) : (
        would.length > 0 && <Consequences lines={would} />
      )}
      {call.why && call.state === "waiting" && (
        <p className={styles.why}>
          <strong>{words.approvals.why}</strong> {reasonOf(call.why)}
        </p>
      )}
      <CallDetails call={call} withArguments={!isElsewhere} />
    </div>
  );
}

function Consequences({ lines }: { lines: readonly string[] }) {
  const [only, ...more] = lines;
  if (more.length === 0) return <p className={styles.consequence}>{only}</p>;
  return (
    <ul className={styles.consequences}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Everything that is known of a call, folded away. */
export function CallDetails({ call, withArguments }: { call: CallInfo; withArguments: boolean }) {
  const message = call.outcome?.error?.message;
  return (
    <details className={styles.details}>
      <summary>{words.approvals.details}</summary>
      <div>
        {withArguments && hasArguments(call) && <Arguments value={call.arguments} />}
        <dl className={styles.facts}>
          {message && <Fact name="Answer">{message}</Fact>}
          {call.why && <Fact name="Policy">{call.why}</Fact>}
          <Fact name="Tool">
            <code>{call.tool}</code>
          </Fact>
          <Fact name="Called">{exactTime(call.at)}</Fact>
          {call.endedAt && <Fact name="Ended">{exactTime(call.endedAt)}</Fact>}
          <Fact name="Call">
            <code>{call.id}</code>
          </Fact>
        </dl>
      </div>
    </details>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function hasArguments(call: CallInfo): boolean {
  return Object.keys(call.arguments ?? {}).length > 0;
}

/** What a token is for; the assistant is named as such already. */
export function kindOf(call: CallInfo): string | undefined {
  if (isAssistant(call)) return undefined;
  return call.callerKind === "agent" || call.callerKind === "script" ? words.tokenKinds[call.callerKind] : undefined;
}
