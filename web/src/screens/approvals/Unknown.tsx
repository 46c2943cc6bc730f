import { useState } from "react";
import { may } from "../../access/permissions";
import { asApiError } from "../../api/problem";
import { api } from "../../app-state";
import type { CallInfo, Calls, FoundOut } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import type { Resource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Button, ButtonLink } from "../../parts/button/Button";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import { outcomeOf, toolTitle } from "../../words/call-words";
import styles from "./Approvals.module.css";
import { Arguments } from "./Arguments";
import { Asker, CallDetails } from "./CallBody";

interface Settling {
  call: CallInfo;
  /** Why it was not settled here: somebody was faster. */
  overtaken?: string;
}

interface UnknownProps {
  unknown: Resource<Calls>;
  announce(text: string): void;
}

/** Calls that left the house and were never answered. They are not sent again by themselves. */
export function Unknown({ unknown, announce }: UnknownProps) {
  function onSettled({ call, overtaken = "" }: Settling) {
    unknown.replace((shown) => ({ ...shown, calls: shown.calls.map((old) => (old.id === call.id ? call : old)) }));
    announce(`${overtaken} ${toolTitle(call)}: ${outcomeOf(call).text}`.trim());
    document.getElementById(headingOf(call))?.focus();
  }
  return (
    <Page
      title={words.approvals.unknown}
      action={<ButtonLink href="/approvals">{words.approvals.all}</ButtonLink>}
      intro="These calls were sent, but no response came back. Check whether they took effect and record it here. The caller is waiting for the outcome."
    >
      <Loaded resource={unknown}>
        {({ calls }) =>
          calls.length === 0 ? (
            <Empty icon="check" title="Every outcome is known">
              If the connection breaks after something was sent, such as an order, its outcome is unknown. It is then
              listed here instead of being sent a second time.
            </Empty>
          ) : (
            <ul className={styles.cards} aria-label={words.approvals.unknown}>
              {calls.map((call) => (
                <li key={call.id}>
                  <UnknownCard call={call} onSettled={onSettled} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function UnknownCard({ call, onSettled }: { call: CallInfo; onSettled(settling: Settling): void }) {
  const { capabilities } = useSession();
  const [overtaken, setOvertaken] = useState<string>();
  const isUnknown = call.state === "unknown";
  const outcome = outcomeOf(call);
  return (
    <article className={styles.card} data-open={isUnknown} aria-labelledby={headingOf(call)}>
      <header className={styles.head}>
        <Asker call={call} />
      </header>
      <h2 id={headingOf(call)} tabIndex={-1}>
        {toolTitle(call)}
      </h2>
      <div className={styles.body}>
        <p className={styles.consequence}>This was sent:</p>
        <Arguments value={call.arguments} />
        <CallDetails call={call} withArguments={false} />
      </div>
      {overtaken !== undefined && <Note tone="caution">{overtaken}</Note>}
      {!isUnknown && <Note tone={outcome.tone}>{outcome.text}</Note>}
      {isUnknown && may(capabilities, { needs: "tools.approve" }) && (
        <SettleForm
          call={call}
          onSettled={(settling) => {
            setOvertaken(settling.overtaken);
            onSettled(settling);
          }}
        />
      )}
    </article>
  );
}

function SettleForm({ call, onSettled }: { call: CallInfo; onSettled(settling: Settling): void }) {
  const [chosen, setChosen] = useState<FoundOut>();
  const settling = useAction(async (found: FoundOut) => {
    setChosen(found);
    onSettled(await settleOrLook(call.id, found));
  });
  const choices: readonly FoundOut[] = [
    "happened",
    "did_not_happen",
    ...(call.canBeRepeated ? (["send_again"] as const) : []),
  ];
  return (
    <div className={styles.decision}>
      <p className={styles.faint}>
        {call.canBeRepeated
          ? "It’s safe to send this again. The other side recognises it and does it only once."
          : "Sending this again could do it twice, so check what happened first."}
      </p>
      <ProblemNote problem={settling.problem} />
      <div className={styles.buttons}>
        {choices.map((found) => (
          <Button key={found} busy={settling.pending && chosen === found} onClick={() => settling.run(found)}>
            {words.approvals.settle[found]}
            <span className="visually-hidden"> ({toolTitle(call)})</span>
          </Button>
        ))}
      </div>
    </div>
  );
}

/** Where somebody else was faster, what they found instead of a failure. */
async function settleOrLook(id: string, found: FoundOut): Promise<Settling> {
  try {
    return { call: await api.settle(id, { found }) };
  } catch (error) {
    const refusal = asApiError(error);
    if (refusal.status !== 409) throw refusal;
    return { call: await api.call(id), overtaken: refusal.message };
  }
}

function headingOf(call: CallInfo): string {
  return `unknown-${call.id}`;
}
